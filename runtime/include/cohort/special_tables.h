// Tables of the special functions, constant first. Written by runtime/fit/special.py; change that and run it
// again.
#pragma once
#include "base.h"

inline namespace cohort_rt {

// Gauss and Legendre's rule in 32 points, for the interval from 0 to 1.
RT_TABLE double rt_gauss_nodes[] = {
    0x1.66a18fbf64a0fp-10, 0x1.d77b63ad0c91bp-8, 0x1.20aae7fac455ap-6, 0x1.0a9fed30405eep-5,
    0x1.a8ab25d459a36p-5,  0x1.347ec0a5e57b4p-4, 0x1.a4e5adf8ed0ebp-4, 0x1.123ed9c52d88dp-3,
    0x1.590aec76f00edp-3,  0x1.a62dd72d3a6b8p-3, 0x1.f8ef3af329ac5p-3, 0x1.2844a541c8387p-2,
    0x1.5615518d42105p-2,  0x1.857c20798fdadp-2, 0x1.b607c563a0372p-2, 0x1.e74437b7733b6p-2,
    0x1.0c5de42446625p-1,  0x1.24fc1d4e2fe47p-1, 0x1.3d41efc338129p-1, 0x1.54f557395ef7dp-1,
    0x1.6bddad5f1be3cp-1,  0x1.81c431433594fp-1, 0x1.96748a34b1652p-1, 0x1.a9bd44e243fc5p-1,
    0x1.bb70498eb49ddp-1,  0x1.cb634a40e25e3p-1, 0x1.d97027eb43509p-1, 0x1.e5754da2ba65dp-1,
    0x1.ef56012cfbfa1p-1,  0x1.f6faa8c029dd5p-1, 0x1.fc510938a5e6ep-1, 0x1.ff4caf38204dbp-1,
};
RT_TABLE double rt_gauss_weights[] = {
    0x1.cbf8bc743cc5cp-9, 0x1.0aa3c248696c9p-7, 0x1.a0060a8531ffap-7, 0x1.18c5800a355d9p-6,
    0x1.5ee963a335495p-6, 0x1.a1c6ae961fbfap-6, 0x1.e0bd76c924981p-6, 0x1.0d9b9a62cac10p-5,
    0x1.2854103b35e0cp-5, 0x1.40483e126fd14p-5, 0x1.553ee25ebebc6p-5, 0x1.6705e18e13ed1p-5,
    0x1.7572bdb3f6e51p-5, 0x1.8062fc0f6fef9p-5, 0x1.87bc776f8c6d7p-5, 0x1.8b6d9eaec77adp-5,
    0x1.8b6d9eaec77adp-5, 0x1.87bc776f8c6d7p-5, 0x1.8062fc0f6fef9p-5, 0x1.7572bdb3f6e51p-5,
    0x1.6705e18e13ed1p-5, 0x1.553ee25ebebc6p-5, 0x1.40483e126fd14p-5, 0x1.2854103b35e0cp-5,
    0x1.0d9b9a62cac10p-5, 0x1.e0bd76c924981p-6, 0x1.a1c6ae961fbfap-6, 0x1.5ee963a335495p-6,
    0x1.18c5800a355d9p-6, 0x1.a0060a8531ffap-7, 0x1.0aa3c248696c9p-7, 0x1.cbf8bc743cc5cp-9,
};
// 1 / gamma(1 + m) as the even part less m times the odd part (with its sign turned), in m^2.
RT_TABLE double rt_gamma_even_f64[] = {
    0x1.0000000000000p+0,   -0x1.4fcf4026afa2ep-1, 0x1.5512320b43fbep-3,   -0x1.3b4af28483e21p-7,
    -0x1.317112ce3a2a8p-10, 0x1.0c8a78cd9f9d2p-13, -0x1.4fad41fc34fbbp-20, -0x1.b9986666c225dp-23,
    0x1.57bc3fc384334p-28,  0x1.cae7675c18607p-34, -0x1.0423bac8ca3fbp-38, -0x1.72cb88ea5ae6ep-46,
};
RT_TABLE double rt_gamma_odd_f64[] = {
    0x1.2788cfc6fb619p-1,   -0x1.5815e8fa27048p-5,  -0x1.59af103c34092p-5, 0x1.d919c527f60b2p-8,
    -0x1.c364fe6f1563dp-13, -0x1.51ce8af47eabep-16, 0x1.302509dbc0de3p-20, 0x1.a44b7ba22d629p-28,
    -0x1.44b4cedca388fp-30, 0x1.11d065bfaf067p-37,  0x1.1f20151323cd0p-41, -0x1.815f72a05f16fp-48,
};
// (I0(x) - 1) / t, t = x^2/4, |x| <= 8; error 1.3e-21
RT_TABLE double rt_i0_near_f64[] = {
    0x1.0000000000000p+0,  0x1.0000000000000p-2,  0x1.c71c71c71c71dp-6,  0x1.c71c71c71c71ap-10,
    0x1.23456789abd19p-14, 0x1.02e85c08985f8p-19, 0x1.522a43f65f737p-25, 0x1.522a43f56219ap-31,
    0x1.0b313298d947dp-37, 0x1.560186fc4de13p-44, 0x1.69cab50f240cep-51, 0x1.41966e6e85389p-58,
    0x1.e73cfe2946cc0p-66, 0x1.3d7c2d28e7bbep-73, 0x1.7074dc4a3672ep-81, 0x1.3efc08f7af225p-89,
    0x1.e6e2df5b2ac97p-97,
};
// (2 I1(x)/x - 1) / t, t = x^2/4, |x| <= 8; error 6.6e-23
RT_TABLE double rt_i1_near_f64[] = {
    0x1.0000000000000p-1,   0x1.5555555555555p-4,  0x1.c71c71c71c71cp-8,  0x1.6c16c16c16c16p-12,
    0x1.845c8a0ce5141p-17,  0x1.27e4fb7789d19p-22, 0x1.522a43f6590aep-28, 0x1.2c9758da91913p-34,
    0x1.ab81ea827b3a5p-41,  0x1.f17696aa3785ep-48, 0x1.e2638fe1c1df2p-55, 0x1.8bcd5513a6fd4p-62,
    0x1.166846043cd13p-69,  0x1.52ce4911769fbp-77, 0x1.6f59336b3ca32p-85, 0x1.30fa95315c316p-93,
    0x1.a781d5f53b632p-101,
};
// I0(x) exp(-x) sqrt(x) in 1/x, x >= 8; error 6.3e-17
RT_TABLE double rt_i0_far_f64[] = {
    0x1.9884533d43650p-2,   0x1.9884533d4e5c8p-5,  0x1.cb94dd3770febp-6,   0x1.debbe95be8c68p-6,
    0x1.6e173c99cb8f0p-5,   0x1.96783956d4b24p-4,  -0x1.64f4422bff739p-1,  0x1.192947feafc82p+6,
    -0x1.dc6169c773619p+11, 0x1.3155a23309505p+17, -0x1.29fd4152bd5a4p+22, 0x1.c081d89fb7535p+26,
    -0x1.05fe68cd75093p+31, 0x1.dc280e4c44318p+34, -0x1.4fb55e60650b6p+38, 0x1.6c8c8e26f4cabp+41,
    -0x1.2cc96afafb97ap+44, 0x1.7102f26989c12p+46, -0x1.44f8171577de2p+48, 0x1.8323f5e649cd3p+49,
    -0x1.1672cb55c1561p+50, 0x1.6bcb8542273bap+49,
};
// I1(x) exp(-x) sqrt(x) in 1/x, x >= 8; error 6.6e-17
RT_TABLE double rt_i1_far_f64[] = {
    0x1.9884533d43651p-2,  -0x1.32633e6df554bp-3,  -0x1.7efc0dd1d7f4cp-5, -0x1.4f1cf9d3ace4fp-5,
    -0x1.d6ce84890f615p-5, -0x1.e96e55ec8eeb0p-4,  0x1.55dbf177924bap-1,  -0x1.1ce45df99313cp+6,
    0x1.e157f38e5810dp+11, -0x1.3408cdbccfe9ap+17, 0x1.2c07c37a875bcp+22, -0x1.c2848e7594cd9p+26,
    0x1.066da4492ba6fp+31, -0x1.db56b48818504p+34, 0x1.4dc5c8b513f1cp+38, -0x1.68ab5c39091efp+41,
    0x1.27cfdb8fd2de0p+44, -0x1.68436f9b3a43fp+46, 0x1.3a6a4bf146891p+48, -0x1.725ef9c93c719p+49,
    0x1.06996fdd573c2p+50, -0x1.50bddf9c82a13p+49,
};
// Debye's polynomials u_1 to u_10: of u_k(p) / p^k in p^2 one after the other.
RT_TABLE double rt_debye_f64[] = {
    0x1.0000000000000p-3,   -0x1.aaaaaaaaaaaabp-3,  0x1.2000000000000p-4,   -0x1.9aaaaaaaaaaabp-2,
    0x1.5638e38e38e39p-2,   0x1.2c00000000000p-4,   -0x1.c84cccccccccdp-1,  0x1.d8b1c71c71c72p+0,
    -0x1.069ba781948b1p+0,  0x1.cb60000000000p-4,   -0x1.2e9a666666666p+1,  0x1.1940800000000p+3,
    -0x1.669fc3f35ba78p+3,  0x1.2ada78a021b64p+2,   0x1.d11e000000000p-3,   -0x1.d79a53a83a83bp+2,
    0x1.5447ad6c16c17p+5,   -0x1.6f45e11c71c72p+6,  0x1.528b7ca566307p+6,   -0x1.c364a631dd95fp+4,
    0x1.251ee80000000p-1,   -0x1.a7dce636db6dbp+4,  0x1.b4618ac15dc91p+7,   -0x1.5dca313ad82d8p+9,
    0x1.08ff639300000p+10,  -0x1.7ea050e044d42p+9,  0x1.a923e815a1cf4p+7,   0x1.ba4c598000000p+0,
    -0x1.b05d1a13b6db7p+6,  0x1.2c39c95483d71p+10,  -0x1.4b9a5a063f1c7p+12, 0x1.6c3b258dcc4bep+13,
    -0x1.a8946669c5f9bp+13, 0x1.f7db8e0e6ff83p+12,  -0x1.dfdd4a56e48aep+10, 0x1.84bd1aa980000p+2,
    -0x1.edea5169e2492p+8,  0x1.bc583a953f412p+12,  -0x1.41d14f581555cp+15, 0x1.dd58770920853p+16,
    -0x1.8d4416b11fe98p+17, 0x1.7811802863395p+17,  -0x1.7ad4992fff6c7p+16, 0x1.3bb12a52aa2fbp+14,
    0x1.8616a64f6c000p+4,   -0x1.387a934e97623p+11, 0x1.614589b7ecd85p+15,  -0x1.43df4b09fcb1fp+18,
    0x1.35a8d45f867f0p+20,  -0x1.5773d9d00c99dp+21, 0x1.cb623a6199ae4p+21,  -0x1.6df7ff592a81cp+21,
    0x1.404139d5a8d89p+20,  -0x1.da73980d20117p+17, 0x1.b8118d37ff700p+6,   -0x1.b1f0b7d0cbfb1p+13,
    0x1.2cf699e52c822p+18,  -0x1.540a91065230fp+21, 0x1.958a7e55353d9p+23,  -0x1.1e9d645493e4cp+25,
    0x1.fa2b20232a522p+25,  -0x1.1ab04f0d89c04p+26, 0x1.84bccd3f0fa29p+25,  -0x1.2cb3c31e51931p+24,
    0x1.90efaed3176ecp+21,
};

}  // namespace cohort_rt
