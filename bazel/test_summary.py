"""Counts the test cases of the last `bazel test //...` from its XML logs."""

import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree


def test_targets():
    """Labels of all tests that `//...` runs, so that stale logs do not count."""
    query = 'tests(//...) except attr(tags, "manual", //...)'
    done = subprocess.run(
        ["bazel", "query", "--noshow_progress", query],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    return done.stdout.split()


def count_target(log):
    """(passed, failed, skipped) test cases of one target's test.xml."""
    try:
        suites = ElementTree.parse(log).getroot()
    except (OSError, ElementTree.ParseError) as error:
        print(f"no result: {log} ({error})")
        return 0, 1, 0
    passed = failed = skipped = 0
    for case in suites.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None or case.get("result") == "skipped":
            skipped += 1
            message = case.find("skipped")
            reason = message.get("message", "") if message is not None else ""
            print(f"skipped: {case.get('classname')}.{case.get('name')} {reason}".rstrip())
        else:
            passed += 1
    return passed, failed, skipped


def main():
    logs = pathlib.Path(sys.argv[1])
    totals = [0, 0, 0]
    for label in test_targets():
        package, name = label[2:].split(":")
        counts = count_target(logs / package / name / "test.xml")
        totals = [total + count for total, count in zip(totals, counts)]
    passed, failed, skipped = totals
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
