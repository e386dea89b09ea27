"""The C++ rules of this project: Bazel's, with warnings as errors."""

_COPTS = [
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Wnon-virtual-dtor",
    "-Wimplicit-fallthrough",
    "-Werror",
]

def pmu_cc_library(name, copts = [], **kwargs):
    native.cc_library(name = name, copts = _COPTS + copts, **kwargs)

def pmu_cc_binary(name, copts = [], **kwargs):
    native.cc_binary(name = name, copts = _COPTS + copts, **kwargs)

def pmu_cc_test(name, size = "small", copts = [], deps = [], **kwargs):
    """A GoogleTest test; `size` small unless said."""
    native.cc_test(
        name = name,
        size = size,
        copts = _COPTS + copts,
        linkstatic = True,
        deps = deps + ["@debian//:gtest_main"],
        **kwargs
    )

def pmu_cc_fuzz_test(name, srcs, deps = [], **kwargs):
    """A libFuzzer target; builds only with --config=fuzz, so it is manual."""
    native.cc_binary(
        name = name,
        testonly = True,
        srcs = srcs,
        copts = _COPTS,
        linkopts = ["-fsanitize=fuzzer"],
        tags = ["manual"],
        deps = deps,
        **kwargs
    )
