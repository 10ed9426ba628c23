"""`./dev conformance` parses the checks in the reference interpreter's tests, and the table of departures."""
from scripts import conformance


def test_checks_become_custom_calls():
    text = conformance.plain_checks("""
  check.expect_eq_const %0#1, dense<[1, 2]> : tensor<2xi64> // why
  check.expect_almost_eq_const %1, dense<5.1> : tensor<f64> {tolerance = 0.1 : f64}
  check.expect_close %2, %3, max_ulp_difference = 5, min_ulp_difference = 2 : tensor<9xf32>, tensor<9xf32>
  check.expect_eq %4, %5 : tensor<2xcomplex<f32>>
""")
    assert "check.expect_eq_const" not in text and "//" not in text
    assert "%expected_1 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>" in text
    assert ("stablehlo.custom_call @check.expect_eq(%0#1, %expected_1) {has_side_effect = true} : "
            "(tensor<2xi64>, tensor<2xi64>) -> ()") in text
    assert "@check.expect_almost_eq(%1, %expected_2) {has_side_effect = true, tolerance = 0.1 : f64}" in text
    assert "max_ulp_difference = 5 : ui64, min_ulp_difference = 2 : ui64}" in text
    assert "@check.expect_eq(%4, %5) {has_side_effect = true} : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>)" in text


def test_checks_without_a_criterion_have_the_reference_s():
    text = conformance.plain_checks("  check.expect_close %2, %3 : tensor<9xf32>, tensor<9xf32>\n"
                                    "  check.expect_almost_eq_const %1, dense<5.1> : tensor<f64>\n")
    assert "max_ulp_difference = 1 : ui64" in text
    assert "tolerance = 1.0e-4 : f64" in text


def test_every_departure_has_a_reason():
    rules = conformance.exceptions()
    assert rules and all(reason for _, reason in rules)
    probe = [reason for rule, reason in rules if rule.match("interpreter/interpret/probe.7")]
    assert len(probe) == 1
    assert not any(rule.match("testdata/abs_float32_20_20") for rule, _ in rules)


def case_of(text, refused=True):
    return conformance.Case("verifier", "one", [], text, refused=refused, lines=conformance.expected_lines(text))


def test_lines_of_expected_errors():
    text = ("// expected-error@+1 {{a}}\nfunc\n// expected-error @below {{b}}\n// expected-note @+1 {{c}}\nop\nop // expected-error {{d}}\n"
            "op\n// expected-error@-1 {{e}}\n// expected-error @unknown {{f}}\n")
    assert conformance.expected_lines(text) == (0, 2, 5, 6, 7)


def test_errors_elsewhere_refuse_another_thing():
    case = case_of("op\n// expected-error@+1 {{a}}\nop\n")
    assert conformance.misplaced(case, "x.mlir:3:1: error: a\n") is None
    assert "on line 1" in conformance.misplaced(case, "x.mlir:1:1: error: a\n")
    assert "on line none" in conformance.misplaced(case, "error: unknown\n")


def test_crashes_refuse_nothing(tmp_path):
    for status in (70, 127):
        script = tmp_path / f"exit{status}"
        script.write_text(f"#!/bin/sh\necho 'x:2:1: error: a' >&2\nexit {status}\n")
        script.chmod(0o755)
        case = case_of("// expected-error@+1 {{a}}\nop\n")
        assert conformance.run_command(case, [str(script)], tmp_path) == f"crashed with status {status}"


def test_departures_that_excuse_nothing():
    known = [rule for rule in conformance.exceptions() if rule[0].pattern.startswith("interpreter")]
    assert "no longer needed" in "".join(conformance.unneeded("interpreter", {}, known).values())
    assert conformance.unneeded("verifier", {}, known) == {}
