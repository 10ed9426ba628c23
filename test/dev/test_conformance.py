"""`./dev conformance` reads the reference's own checks and the table of departures."""
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
