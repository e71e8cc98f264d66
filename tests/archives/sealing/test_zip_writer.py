"""Archives of one shape: what is written, and that nothing else is read."""

import io
import random
import stat
import subprocess
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.archives.errors import BrokenArchive
from engine.archives.sealing import zip_writer
from engine.archives.sealing.spool import ArchiveSpool
from engine.archives.sealing.zip_writer import content, read_directory, write_zip


def pack(tmp_path, files):
    out = io.BytesIO()
    with ArchiveSpool(tmp_path) as spool:
        for name, data in files.items():
            spool.add(name, "", data)
        write_zip(out, spool.parts)
    return out.getvalue()


def unpack(data):
    file = io.BytesIO(data)
    return {entry.name: b"".join(content(file, entry)) for entry in read_directory(file)}


FILES = {"b.csv": b"x,y\r\n1,2\r\n", "a.txt": b"hello " * 1000, "empty": b""}


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return pack(tmp_path_factory.mktemp("zip"), FILES)


def test_files_stand_in_the_order_of_their_names_without_date_or_owner(archive):
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.testzip() is None
        infos = opened.infolist()
        assert {name: opened.read(name) for name in opened.namelist()} == FILES
    assert [info.filename for info in infos] == ["a.txt", "b.csv", "empty"]
    assert {(info.date_time, info.compress_type, stat.filemode(info.external_attr >> 16)) for info in infos} == {
        ((1980, 1, 1, 0, 0, 0), zipfile.ZIP_DEFLATED, "-rw-r--r--")
    }


def test_the_order_in_which_files_come_does_not_matter(archive, tmp_path):
    assert pack(tmp_path, dict(reversed(FILES.items()))) == archive


def test_other_programs_find_nothing_to_complain_about(archive, tmp_path):
    (tmp_path / "a.zip").write_bytes(archive)
    done = subprocess.run(["unzip", "-tq", tmp_path / "a.zip"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_was_written_is_read_back(archive):
    assert unpack(archive) == FILES


def test_an_archive_of_nothing(tmp_path):
    assert unpack(pack(tmp_path, {})) == {}


@given(st.binary(max_size=3000), st.integers(1, 400))
def test_every_content_comes_back(tmp_path_factory, data, times):
    folder = tmp_path_factory.getbasetemp() / "every"
    assert unpack(pack(folder, {"x": data * times})) == {"x": data * times}


def test_large_files_come_in_pieces(tmp_path):
    noise = random.Random(1).randbytes(3_000_000)
    data = pack(tmp_path, {"x": noise + bytes(1_000_000)})
    file = io.BytesIO(data)
    (entry,) = read_directory(file)
    pieces = list(content(file, entry))
    assert b"".join(pieces) == noise + bytes(1_000_000)
    assert max(map(len, pieces)) <= zip_writer.CHUNK


def test_no_bit_can_be_flipped(archive):
    """Those that deflate leaves unused included."""
    for place in range(len(archive)):
        for bit in range(8):
            changed = bytearray(archive)
            changed[place] ^= 1 << bit
            with pytest.raises(BrokenArchive):
                unpack(bytes(changed))


def test_no_byte_can_be_cut_off_or_added(archive):
    for size in range(len(archive)):
        with pytest.raises(BrokenArchive):
            unpack(archive[:size])
    for place in range(len(archive) + 1):
        with pytest.raises(BrokenArchive):
            unpack(archive[:place] + b"\0" + archive[place:])


@pytest.mark.parametrize("name", ["../up", "..", "/etc/passwd", "a/b", "a\\b", "", ".hidden", "x" * 101, "c:x", "é"])
def test_a_name_that_leads_out_of_the_folder_is_refused(name, tmp_path):
    with ArchiveSpool(tmp_path) as spool, pytest.raises(ValueError):
        spool.add(name, "", b"")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as theirs:
        theirs.writestr(zipfile.ZipInfo(name or "x", (1980, 1, 1, 0, 0, 0)), b"data")
    data = out.getvalue() if name else out.getvalue().replace(b"x", b"\0")
    with pytest.raises(BrokenArchive, match="no name of a file"):
        unpack(data)


def test_two_files_of_one_name_are_refused(tmp_path):
    with ArchiveSpool(tmp_path) as spool:
        spool.add("a", "", b"1")
        with pytest.raises(ValueError):
            spool.add("a", "", b"2")
    twice = pack(tmp_path, {"a": b"1", "b": b"2"}).replace(b"b", b"a")
    with pytest.raises(BrokenArchive, match="a: is in the archive twice"):
        unpack(twice)


def test_a_link_is_refused():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as theirs:
        info = zipfile.ZipInfo("link", (1980, 1, 1, 0, 0, 0))
        info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        theirs.writestr(info, "/etc/passwd")
    with pytest.raises(BrokenArchive, match="link: is a link"):
        unpack(out.getvalue())


def test_files_in_another_order_are_refused(tmp_path):
    with ArchiveSpool(tmp_path) as spool:
        spool.add("a", "", b"1")
        spool.add("b", "", b"2")
        out = io.BytesIO()
        write_zip(out, list(reversed(spool.parts)))
    with pytest.raises(BrokenArchive, match="a: stands after b"):
        unpack(out.getvalue())


def test_a_small_file_that_would_unpack_to_four_gibibytes_is_refused_unread():
    size = (1 << 32) - 1
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = deflate.compress(bytes(4 << 20)) + deflate.flush()
    entry = zip_writer.ZipEntry("zeros", 0, len(data), size, 0)
    directory = zip_writer._central(entry)
    bomb = zip_writer._local(entry) + data + directory + zip_writer._end(1, len(directory), entry.end)
    with pytest.raises(BrokenArchive, match="zeros: would unpack from 4,"):
        read_directory(io.BytesIO(bomb))


def test_a_file_that_unpacks_to_more_than_it_says_is_stopped():
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = deflate.compress(bytes(64 << 20)) + deflate.flush()
    entry = zip_writer.ZipEntry("zeros", 0, len(data), 1000, 0)
    directory = zip_writer._central(entry)
    file = io.BytesIO(zip_writer._local(entry) + data + directory + zip_writer._end(1, len(directory), entry.end))
    (zip_entry,) = read_directory(file)
    with pytest.raises(BrokenArchive, match="more than the 1,000 bytes"):
        list(content(file, zip_entry))


def test_an_archive_beyond_four_gibibytes_is_not_written():
    class Huge:
        name, crc, compressed = "x", 0, 10
        stored = False

        def __init__(self, size):
            self.size = size

    with pytest.raises(ValueError, match="4 GiB"):
        write_zip(io.BytesIO(), [Huge(1 << 32)])


@pytest.mark.parametrize(
    "data", [b"", b"P", b"no archive at all, and longer than an end record", b"PK\x05\x06", bytes(100)]
)
def test_something_else_is_no_archive(data):
    with pytest.raises(BrokenArchive, match="archive: "):
        unpack(data)


@given(st.binary(max_size=400))
def test_noise_never_does_anything_but_be_refused(data):
    for start in (b"", b"PK\x03\x04", b"PK\x05\x06"):
        with pytest.raises(BrokenArchive):
            unpack(start + data)


def test_stored_bytes_stand_in_the_archive_as_they_are(tmp_path):
    noise = random.Random(7).randbytes(3 << 20)
    zeros = bytes(2 << 20)  # compressed this would be more of a bomb than a reader of ours takes
    out = io.BytesIO()
    with ArchiveSpool(tmp_path) as spool:
        spool.add("a.csv", "", b"x\r\n")
        for name, data in (("evidence-1", noise), ("evidence-2", zeros), ("evidence-3", b"")):
            with spool.writing(name, "", lambda: None, stored=True) as part:
                part.write(data)
        write_zip(out, spool.parts)
    data = out.getvalue()
    assert noise in data
    assert unpack(data) == {"a.csv": b"x\r\n", "evidence-1": noise, "evidence-2": zeros, "evidence-3": b""}
    with zipfile.ZipFile(io.BytesIO(data)) as other:
        assert other.testzip() is None
        assert other.getinfo("evidence-1").compress_type == zipfile.ZIP_STORED
    broken = bytearray(data)
    broken[data.index(noise) + 100] ^= 1
    with pytest.raises(BrokenArchive, match="is damaged"):
        unpack(bytes(broken))
