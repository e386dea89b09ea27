"""clang_tidy_aspect: clang-tidy over every C++ source, as cached build actions.

    bazel build --config=lint //...
"""

_SOURCES = ["cc"]

def _includes(context):
    flags = []
    for folder in context.quote_includes.to_list():
        flags += ["-iquote", folder]
    for folder in context.system_includes.to_list() + context.includes.to_list():
        flags += ["-isystem", folder]
    return flags

def _clang_tidy_aspect_impl(target, ctx):
    if not CcInfo in target or not hasattr(ctx.rule.attr, "srcs") or target.label.workspace_root:
        return []
    context = target[CcInfo].compilation_context
    reports = []
    for source in ctx.rule.files.srcs:
        if not source.is_source or source.extension not in _SOURCES:
            continue
        report = ctx.actions.declare_file("%s.%s.tidy" % (ctx.rule.attr.name, source.basename))
        flags = ["-std=c++20", "-Wno-everything"] + _includes(context)
        ctx.actions.run_shell(
            inputs = depset(
                [source, ctx.file._config] + ctx.rule.files.srcs,
                transitive = [context.headers],
            ),
            outputs = [report],
            command = "clang-tidy-14 --quiet %s -- %s > %s.log 2>&1 || { cat %s.log; exit 1; }; touch %s" % (
                source.path,
                " ".join(flags),
                report.path,
                report.path,
                report.path,
            ),
            mnemonic = "ClangTidy",
            progress_message = "Linting %s" % source.short_path,
        )
        reports.append(report)
    return [OutputGroupInfo(lint = depset(reports))]

clang_tidy_aspect = aspect(
    implementation = _clang_tidy_aspect_impl,
    attrs = {
        "_config": attr.label(
            default = "//:.clang-tidy",
            allow_single_file = True,
        ),
    },
)
