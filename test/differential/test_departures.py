"""Only the operands and jaxlib's results decide what a departure excuses, never a result of Drumlin's."""
import numpy as np
import pytest

import departures
from case import simple
from values import Operand

ADD = simple("add", "f32", [Operand("f32", (4,)), Operand("f32", (4,))], [Operand("f32", (4,))])
TINY = float(np.finfo(np.float32).tiny)


def excused(ours, theirs, operands=((1, 2, 3, 4), (5, 6, 7, 8))):
    arrays = [np.array(each, np.float32) for each in (*operands, ours, theirs)]
    return departures.excused("native", ADD, arrays[:2], arrays[2], arrays[3], "f32", set()).tolist()


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), TINY / 4, 0.0, -0.0, 1e30])
def test_ours_excuse_nothing(wrong):
    assert excused([wrong] * 4, [6, 8, 10, 12]) == [False] * 4


def test_flushed_results_are_held_to_subnormal_ones():
    assert excused([TINY / 4, TINY / 2, 1, float("nan")], [0, 0, 0, 0]) == [True, True, False, False]


def test_subnormal_operands_excuse_their_elements():
    assert excused([9, 9, 9, 9], [6, 8, 10, 12], ((1, TINY / 2, 3, 4), (5, 6, 7, 8))) == [False, True, False, False]
