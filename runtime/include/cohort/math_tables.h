// Polynomial tables, constant first. Written by runtime/fit/fit.py; change that and run it again.
#pragma once
#include "base.h"

inline namespace cohort_rt {

// (exp(r) - 1 - r) / r^2, |r| <= log(2)/2; error 6.5e-8
RT_TABLE float rt_exp_f32[] = {
    0x1.0000000000000p-1f, 0x1.5554dc0000000p-3f, 0x1.55551a0000000p-5f, 0x1.120b6e0000000p-7f,
    0x1.6d110a0000000p-10f,
};
// (exp(r) - 1 - r) / r^2, |r| <= log(2)/2; error 1.1e-16
RT_TABLE double rt_exp_f64[] = {
    0x1.0000000000001p-1, 0x1.5555555555556p-3, 0x1.5555555553d63p-5, 0x1.11111111109b3p-7,
    0x1.6c16c1788bd90p-10, 0x1.a01a01a7c41d5p-13, 0x1.a019b90d2ae7ap-16, 0x1.71de0dae63bb3p-19,
    0x1.289185613a3d6p-22, 0x1.af38a9b0ec855p-26,
};
// (2^r - 1) / r, |r| <= 1/2; error 7.8e-9
RT_TABLE float rt_exp2_f32[] = {
    0x1.62e4300000000p-1f, 0x1.ebfbe00000000p-3f, 0x1.c6af6c0000000p-5f, 0x1.3b2a540000000p-7f,
    0x1.5f08900000000p-10f, 0x1.44138a0000000p-13f,
};
// (2^r - 1) / r, |r| <= 1/2; error 1.3e-17
RT_TABLE double rt_exp2_f64[] = {
    0x1.62e42fefa39efp-1, 0x1.ebfbdff82c598p-3, 0x1.c6b08d704a0c2p-5, 0x1.3b2ab6fba1ddap-7,
    0x1.5d87fe78a5276p-10, 0x1.430913096fd9fp-13, 0x1.ffcbfc670dcd4p-17, 0x1.62bfd47773353p-20,
    0x1.b524fae627834p-24, 0x1.e6063f7217bc6p-28, 0x1.e9d3fe3952179p-32,
};
// (log(1 + f) - f + f^2/2) / f^3, 1 + f from sqrt(1/2) to sqrt(2); error 3.0e-8
RT_TABLE float rt_log_f32[] = {
    0x1.5555540000000p-2f, -0x1.fffffc0000000p-3f, 0x1.999d6e0000000p-3f, -0x1.555b8a0000000p-3f,
    0x1.23cf720000000p-3f, -0x1.fce37a0000000p-4f, 0x1.dec8cc0000000p-4f, -0x1.d6d10e0000000p-4f,
    0x1.1dedf80000000p-4f,
};
// (log((1 + s) / (1 - s)) / s - 2) / z, z = s^2; error 3.1e-16
RT_TABLE double rt_log_f64[] = {
    0x1.5555555555558p-1, 0x1.9999999995204p-2, 0x1.2492492e09d4dp-2, 0x1.c71c62c639fdep-3,
    0x1.7462bd8f7796ep-3, 0x1.39fd392179a95p-3, 0x1.2b6688a387e03p-3,
};
// (log((1 + s) / (1 - s)) / s - 2 - 2/3 z) / z^2, z = s^2; error 1.9e-18
RT_TABLE double rt_log_tail_f64[] = {
    0x1.999999999999ap-2, 0x1.2492492492523p-2, 0x1.c71c71c6ea0c3p-3, 0x1.745d177b19a81p-3,
    0x1.3b13959b359a4p-3, 0x1.1118d38b0f57bp-3, 0x1.df7a598f77bc4p-4, 0x1.e047e001993cbp-4,
};
// log2(1 + f) / f, 1 + f from sqrt(1/2) to sqrt(2), for pow of float; error 5.3e-12
RT_TABLE double rt_log2_short[] = {
    0x1.71547652b50afp+0, -0x1.71547651ceb01p-1, 0x1.ec709de8ee577p-2, -0x1.71547862a6af5p-2,
    0x1.2776b434af89fp-2, -0x1.ec6f3cf1fa236p-3, 0x1.a61c5fb77ad17p-3, -0x1.7187e80bde688p-3,
    0x1.480e0919f1badp-3, -0x1.23d4a445f486cp-3, 0x1.0b723825f1579p-3, -0x1.1445a353dc743p-3,
    0x1.0d21592e2b80fp-3, -0x1.175ef274e5d59p-4,
};
// (2^r - 1) / r, |r| <= 1/2, for pow of float; error 1.7e-10
RT_TABLE double rt_exp2_short[] = {
    0x1.62e42fefa39efp-1, 0x1.ebfbe045f4d3cp-3, 0x1.c6b08d883dca1p-5, 0x1.3b2a1b7152befp-7,
    0x1.5d879ead06a82p-10, 0x1.443fffc90db59p-13, 0x1.00a581594758ep-16,
};
// (sin(r) / r - 1) / z, z = r^2, |r| <= pi/4; error 2.0e-8
RT_TABLE float rt_sin_f32[] = {
    -0x1.5555520000000p-3f, 0x1.110c280000000p-7f, -0x1.9ac96c0000000p-13f,
};
// (sin(r) / r - 1) / z, z = r^2, |r| <= pi/4; error 2.0e-17
RT_TABLE double rt_sin_f64[] = {
    -0x1.5555555555555p-3, 0x1.1111111110bb1p-7, -0x1.a01a019e8357dp-13, 0x1.71de37961e4c6p-19,
    -0x1.ae600a926c89ap-26, 0x1.5e0af186af739p-33,
};
// (cos(r) - 1 + z/2) / z^2, z = r^2, |r| <= pi/4; error 2.0e-9
RT_TABLE float rt_cos_f32[] = {
    0x1.5555540000000p-5f, -0x1.6c12d20000000p-10f, 0x1.9bd8640000000p-16f,
};
// (cos(r) - 1 + z/2) / z^2, z = r^2, |r| <= pi/4; error 1.3e-18
RT_TABLE double rt_cos_f64[] = {
    0x1.5555555555555p-5, -0x1.6c16c16c16966p-10, 0x1.a01a019f4e867p-16, -0x1.27e4fa17a41b4p-22,
    0x1.1eeb68b109173p-29, -0x1.907d7aebd5e3dp-37,
};
// (atan(x) / x - 1) / z, z = x^2, |x| <= tan(pi/8); error 1.2e-18
RT_TABLE double rt_atan_f64[] = {
    -0x1.5555555555555p-2, 0x1.9999999999950p-3, -0x1.249249248d539p-3, 0x1.c71c71c2e3cc2p-4,
    -0x1.745d1657912c1p-4, 0x1.3b1392219e38fp-4, -0x1.110e7b22d6adap-4, 0x1.e198eb8836fdfp-5,
    -0x1.ac72123227030p-5, 0x1.74b71ada9e07cp-5, -0x1.1ad052d3ca4dap-5, 0x1.09f78488baaf0p-6,
};
// (asin(x) / x - 1) / z, z = x^2, z <= 1/4; error 1.5e-17
RT_TABLE double rt_asin_f64[] = {
    0x1.5555555555556p-3, 0x1.3333333332ec4p-4, 0x1.6db6db6e3292ep-5, 0x1.f1c71c1d4aa0dp-6,
    0x1.6e8bb1d89492bp-6, 0x1.1c4d343fa57f6p-6, 0x1.c9cf3759fd8ffp-7, 0x1.78246f32d075cp-7,
    0x1.524ea8b3aad31p-7, 0x1.653a8f8cfd43cp-8, 0x1.1d661531b222ep-6, -0x1.e7a24f548c99fp-7,
    0x1.d78189767524ep-6,
};
// cbrt(m), m from 1/2 to 1: a first guess; error 1.9e-7
RT_TABLE double rt_cbrt_f64[] = {
    0x1.6ca24deb64be7p-2, 0x1.7f826f9e55030p+0, -0x1.0a34098310bebp+1, 0x1.30e6a1d763bb8p+1,
    -0x1.c4b254ea37344p+0, 0x1.7f93280e3a62ap-1, -0x1.193ba5e927973p-3,
};
// erf(x) / x - 1, z = x^2, |x| <= 1; error 7.4e-18
RT_TABLE double rt_erf_f64[] = {
    0x1.06eba8214db68p-3, -0x1.812746b0379c1p-2, 0x1.ce2f21a040f66p-4, -0x1.b82ce31203772p-6,
    0x1.565bccfa44156p-8, -0x1.c02db0665e53dp-11, 0x1.f9a2be4f731a1p-14, -0x1.f4ca838adb73bp-17,
    0x1.b981d78881a5dp-20, -0x1.5c131500d3f88p-23, 0x1.d76af6ca49787p-27, -0x1.ac9585a44fe29p-31,
};
// erf(x) / x - 1, z = x^2, |x| <= 0.94; error 6.2e-10
RT_TABLE float rt_erf_f32[] = {
    0x1.06eba80000000p-3f, -0x1.8127420000000p-2f, 0x1.ce2dde0000000p-4f, -0x1.b80acc0000000p-6f,
    0x1.54a2ae0000000p-8f, -0x1.a8f0340000000p-11f, 0x1.5878100000000p-14f,
};
// -log(erfc(x)) / x, x from 0.93 to 4; error 4.0e-8
RT_TABLE float rt_erf_far_f32[] = {
    0x1.20f5580000000p+0f, 0x1.4504b80000000p-1f, 0x1.b52b100000000p-4f, -0x1.8a792a0000000p-6f,
    0x1.e4f8e80000000p-9f, -0x1.2d00ba0000000p-12f, -0x1.61352a0000000p-17f, 0x1.1c392a0000000p-18f,
    -0x1.1bc60c0000000p-22f,
};
// (1 + 2x) exp(x^2) erfc(x), t = (x - 4) / (x + 4), x from 0.45 to 29; error 5.5e-18
RT_TABLE double rt_erfcx_f64[] = {
    0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a290p-3, 0x1.f7f5df66fd4e5p-7, 0x1.16ecefcfa554ep-4,
    -0x1.9ddb23c3e789cp-4, 0x1.7fee004e0eb06p-4, -0x1.0fb06dfe71a44p-4, 0x1.3079edf6eec16p-5,
    -0x1.0962387c7289ap-6, 0x1.49c6726cbc376p-8, -0x1.8d4aa2800352ep-11, -0x1.a1df1977bb438p-13,
    0x1.3be0e7f00ed56p-13, -0x1.9959a8b2a89f8p-16, -0x1.78a69bc5edca1p-17, 0x1.7f1fc737850d8p-18,
    0x1.4236ae2714adbp-22, -0x1.b9cf3951960f8p-21, 0x1.1de95797fffa8p-24, 0x1.c6c3728bc046ep-24,
    -0x1.9e45b42809d57p-27, -0x1.69479f835c8c3p-27,
};
// log|gamma(1 + t)| / t, |t| <= 1/2; error 1.1e-17
RT_TABLE double rt_lgamma1_f64[] = {
    -0x1.2788cfc6fb619p-1, 0x1.a51a6625307d3p-1, -0x1.9a4d55beab37cp-2, 0x1.151322ac7d8e9p-2,
    -0x1.a8b9c17a91284p-3, 0x1.5b40cb0ff7e2cp-3, -0x1.2703a1e53cd44p-3, 0x1.010b36b799ac3p-3,
    -0x1.c8066cfb76ec6p-4, 0x1.9a01e02e1bc0ep-4, -0x1.748ca0044fd2dp-4, 0x1.556b3fe9a66f6p-4,
    -0x1.3b14e848a2d53p-4, 0x1.248e72b0a7186p-4, -0x1.118acc50ec441p-4, 0x1.007509e47a025p-4,
    -0x1.d8fbcda10e84fp-5, 0x1.be79bd2aebac5p-5, -0x1.ea4aa627b4073p-5, 0x1.d2f7f4a6085fbp-5,
    -0x1.db7126487ed80p-7, 0x1.b4fc9a43dac9fp-7, -0x1.28eb1f4f52ce4p-3, 0x1.1ef5d11df4a3dp-3,
    0x1.3914b3aa0e424p-3, -0x1.3046d605c1822p-3, -0x1.cc35b376ce280p-3, 0x1.bdb3d7629dd5ep-3,
};
// log|gamma(2 + t)| / t, |t| <= 1/2; error 7.2e-20
RT_TABLE double rt_lgamma2_f64[] = {
    0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a55760ap-4, 0x1.51322ac7d848ap-6,
    -0x1.e404fc218dbaep-8, 0x1.7add6eadb5317p-9, -0x1.38ac5c2d48207p-10, 0x1.0b36af8779ca0p-11,
    -0x1.d3fd4b679c1c4p-13, 0x1.a127afee53e7dp-14, -0x1.78de9ab752b81p-15, 0x1.580e0afa55850p-16,
    -0x1.3cb3be36ad88bp-17, 0x1.258f3057730fap-18, -0x1.1276ebd557fb0p-19, 0x1.012012be3900ap-20,
    -0x1.ce17528bcf460p-22, 0x1.b40adb09a1e12p-23, -0x1.2009c1a550d0dp-23, 0x1.11fa5e7c86f7bp-24,
};
// digamma(1.5 + t) / (1.5 + t - root), |t| <= 1/2; error 3.4e-18
RT_TABLE double rt_digamma_f64[] = {
    0x1.e6f0cbb873616p-1, -0x1.b1cb63005ee98p-2, 0x1.eca189b8e6f6dp-3, -0x1.2feeeb98a78eap-3,
    0x1.8512e5903903ep-4, -0x1.fb44202a2306bp-5, 0x1.4de9aa1779d23p-5, -0x1.b9f8b11bfd3d0p-6,
    0x1.2564717896ec6p-6, -0x1.863563f44f303p-7, 0x1.03c0adafa529cp-7, -0x1.5a06a5d662cb4p-8,
    0x1.cd2011454fd05p-9, -0x1.336dbe66757c8p-9, 0x1.99d3f5c0cad5ep-10, -0x1.0fb38d217b800p-10,
    0x1.6a3e76070c135p-11, -0x1.fd8e50abf2196p-12, 0x1.53b23429da21bp-12, -0x1.2fae5cb379bf2p-13,
    0x1.94e73cc9821e1p-14, -0x1.75c084e78a4cdp-13, 0x1.f255c4568ac4dp-14,
};
RT_TABLE double rt_digamma_root[] = {0x1.762d86356be3fp+0, 0x1.b86a722197829p-54};

}  // namespace cohort_rt
