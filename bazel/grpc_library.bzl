"""cc_grpc_package: C++ of a folder of .proto files, by Debian's protoc, offline."""

def cc_grpc_package(name, messages, services = [], **kwargs):
    """Generates and compiles all files of one proto package as one library.

    Args:
      name: of the cc_library.
      messages: .proto files that hold only messages.
      services: .proto files that also hold services.
      **kwargs: handed on to the cc_library (visibility, testonly).
    """
    hdrs = []
    srcs = []
    for proto in messages + services:
        base = proto[:-len(".proto")]
        kinds = [".pb", ".grpc.pb"] if proto in services else [".pb"]
        hdrs += [base + kind + ".h" for kind in kinds]
        srcs += [base + kind + ".cc" for kind in kinds]
    commands = ["/usr/bin/protoc -I. --cpp_out=$(GENDIR) $(SRCS)"]
    for proto in services:
        commands.append("/usr/bin/protoc -I. --plugin=protoc-gen-grpc=/usr/bin/grpc_cpp_plugin" +
                        " --grpc_out=$(GENDIR) $(location %s)" % proto)
    native.genrule(
        name = name + "_gen",
        srcs = messages + services,
        outs = hdrs + srcs,
        cmd = " && ".join(commands),
    )
    native.cc_library(
        name = name,
        srcs = srcs,
        hdrs = hdrs,
        copts = ["-Wno-unused-parameter"],
        deps = ["@debian//:grpc++"],
        **kwargs
    )
