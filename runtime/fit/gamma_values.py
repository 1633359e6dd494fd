"""Prints log|gamma| and digamma at chosen points, in high precision, for tests/unit/runtime/gamma_test.cpp.

usage: gamma_values.py > ../../tests/unit/runtime/gamma_values.h   (needs mpmath)
"""
from mpmath import mp, mpf, loggamma, digamma, log, gamma, re

mp.dps = 60


def points():
    x = [1e-300, 1e-20, 1e-5, 0.01, 0.1, 0.3, 0.4999, 0.5, 0.7, 0.9, 0.99, 0.9999999, 1 - 2.0**-53, 1 + 2.0**-52,
         1.0000001, 1.001, 1.01, 1.1, 1.2, 1.3, 1.4, 1.46, 1.461, 1.4616, 1.46163, 1.461632, 1.46163214496836, 1.4616321449683622,
         1.4616321449683625, 1.462, 1.47, 1.49, 1.4999999, 1.5, 1.7, 1.9, 1.99, 1.9999999, 2 - 2.0**-52, 2 + 2.0**-51, 2.0000001, 2.001,
         2.1, 2.3, 2.4999, 2.5, 2.7, 3.0, 3.3, 3.4999, 3.5, 4.1, 5.5, 6.6, 7.7, 8.8, 9.9, 9.9999999, 10.0, 10.1, 11.5, 15.0, 33.3, 100.0,
         171.6, 1e3, 1e5, 1e10, 1e15, 1e100, 1e300]
    seed = 12345
    for k in range(150):
        seed = (seed * 1103515245 + 12345) % 2**31
        x.append(seed / 2**31 * 12 if k % 2 else seed // 2**9 / 2**22 * 12)
    negative = [-1e-300, -1e-10, -0.01, -0.2, -0.4999, -0.5, -0.504, -0.5041, -0.6, -0.9, -0.999, -1.001, -1.3, -1.5, -1.573, -1.7, -1.99,
                -2.1, -2.4570247382208, -2.5, -2.611, -2.7476826467274127, -2.9, -3.1, -3.5, -5.5, -7.3, -9.99, -10.3, -20.7, -50.1, -100.5, -170.3]
    return [float(v) for v in x + negative]


def parts(value):
    high = float(value)
    return f"{high.hex()}, {float(value - mpf(high)).hex()}"


def main():
    print("// x, log|gamma(x)| and digamma(x), each value as a double and what it lacks. Written by runtime/fit/gamma_values.py.")
    print("#pragma once\n")
    print("struct GammaValue {\n  double x, gammaln, gammaln_low, digamma, digamma_low;\n};")
    print("constexpr GammaValue kGammaValues[] = {")
    for x in points():
        lg = re(loggamma(mpf(x))) if x > 0 else log(abs(gamma(mpf(x))))
        print(f"    {{{x.hex()}, {parts(lg)},\n     {parts(digamma(mpf(x)))}}},")
    print("};")


if __name__ == "__main__":
    main()
