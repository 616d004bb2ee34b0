"""Written aside, read back, renamed; other bytes under the same name are refused."""

from pathlib import Path

import pytest

from statements import files


def test_nothing_stands_under_the_name_before_it_is_promoted(tmp_path: Path) -> None:
    place = tmp_path / "a.pdf"
    aside = files.write_aside(place, b"statement", 1)
    assert not place.exists()
    files.promote(aside, place)
    assert place.read_bytes() == b"statement"
    assert list(tmp_path.iterdir()) == [place]


def test_the_same_bytes_are_kept_and_leave_nothing_aside(tmp_path: Path) -> None:
    place = tmp_path / "a.pdf"
    place.write_bytes(b"statement")
    before = place.stat()
    files.promote(files.write_aside(place, b"statement", 2), place)
    assert (place.stat().st_ino, place.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert list(tmp_path.iterdir()) == [place]


def test_other_bytes_under_the_same_name_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "a.pdf"
    place.write_bytes(b"the first")
    with pytest.raises(files.OtherBytes, match=r"a\.pdf exists with other bytes"):
        files.promote(files.write_aside(place, b"the second", 1), place)
    assert place.read_bytes() == b"the first"


def test_a_later_attempt_removes_what_an_earlier_one_left_but_not_a_later_ones(tmp_path: Path) -> None:
    place, other = tmp_path / "a.b.pdf", tmp_path / "a.b.pdf.pdf"
    left = [files.write_aside(place, b"x", attempt) for attempt in (3, 1)]
    of_another = files.write_aside(other, b"x", 1)
    mine = files.write_aside(place, b"x", 2)
    assert set(tmp_path.iterdir()) == {left[0], mine, of_another}


def test_a_file_that_reads_back_otherwise_is_not_put_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_bytes", lambda _: b"statemen")
    with pytest.raises(files.WrittenWrong, match="8 bytes"):
        files.write_aside(tmp_path / "a.pdf", b"statement", 1)


@pytest.mark.parametrize(
    ("account", "name"),
    [("ACC-1", "ACC-1_2026-01.pdf"), ("a/b", "a%2Fb_2026-01.pdf"), ("a b", "a b_2026-01.pdf")],
)
def test_a_name_stays_inside_its_folder(account: str, name: str) -> None:
    assert files.name_of(account, "2026-01") == name
