"""Tables of names and numbers: every dialect says the same, and no guess shifts rows."""

import gzip

import numpy as np
import pandas
import pytest
from pytest import approx

from zslib.datasets.attributes.table import read_table

NAMES = ["cat", "dog", "fox"]
ROWS = np.array([[0.5, -1.25, 3.0], [2.0, 0.04, -0.5], [-7.0, 1e3, 0.125]])
BODY = "cat,0.5,-1.25,3\ndog,2,0.04,-0.5\nfox,-7,1e3,.125\n"
COMMAS = BODY.replace(",", ";").replace(".", ",")


@pytest.fixture
def table(tmp_path):
    """What is read from a text, or from bytes."""

    def read(text, labels=(), **options):
        path = tmp_path / "classes.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_table(path, labels, **options)

    return read


DIALECTS = [
    BODY,
    BODY.replace(",", ", "),
    BODY.replace(",", ";"),
    BODY.replace(",", "\t"),
    COMMAS,
    COMMAS.replace(";", "\t"),
    "sep=;\n" + COMMAS,
    "sep=,\r\n" + BODY.replace("\n", "\r\n"),
    b"\xef\xbb\xbfsep=;\n" + COMMAS.encode(),
    ("\ufeff" + BODY).encode("utf-16-le"),
    "class,a,b,c\n" + BODY,
    "class;a;b;c\n" + COMMAS,
    BODY.replace("\n", ",\n"),
    "class,a,b,c,\n" + BODY.replace("\n", ",\n"),
    BODY.replace("\n", "\n\n") + ",,,\n",
    BODY.replace("\n", "\r"),
    '"cat",' + BODY[4:],
    "class,a,2,c\n" + BODY,
    ",a,2,c\n" + BODY,
    gzip.compress(BODY.encode(), mtime=0),
]


@pytest.mark.parametrize("text", DIALECTS)
def test_dialects(table, text):
    names, rows, heads, *_ = table(text)
    assert names.tolist() == NAMES
    np.testing.assert_array_equal(rows, ROWS.astype("f4"))
    assert bool(heads) == any(line in str(text) for line in ("class", ",a,2"))


def test_names_are_any_text(table):
    text = '"big, cat",1,2\n"new\nyork",3,4\n007,5,6\n"a ""b""",7,8\nd;e,9,0\n'
    assert table(text).names.tolist() == ["big, cat", "new\nyork", "007", 'a "b"', "d;e"]
    assert table("émeu,1,2\n".encode("latin-1"), encoding="latin-1").names.tolist() == ["émeu"]


def test_what_pandas_writes(table):
    frame = pandas.DataFrame(ROWS, index=NAMES)
    named = frame.set_axis(list("xyz"), axis=1)
    for text, heads in (
        (frame.to_csv(), ",0,1,2"),
        (frame.to_csv(header=False), ""),
        (frame.to_csv(index_label="class"), "class,0,1,2"),
        (named.to_csv(), ",x,y,z"),
        (named.to_csv().replace(",", ", "), ",x,y,z"),
        (named.to_csv(sep=";", decimal=",", index_label="bird"), "bird,x,y,z"),
        (named.reset_index(names="bird").to_csv(index=False), "bird,x,y,z"),
    ):
        names, rows, first, columns = table(text)
        assert (names.tolist(), first) == (NAMES, heads)
        assert columns == (list("xyz") if "x" in heads and ", " not in text else None)
        np.testing.assert_array_equal(rows, ROWS.astype("f4"))


COUNTS = "cat,0,1,2\n" + BODY.partition("\n")[2]


HEADS = [
    # Called as a column, whatever the numbers are.
    ("class,1,2,3\n" + BODY, (), NAMES),
    ("class,400,500,600\n" + BODY, [0, 1, 2], NAMES),
    ("label,30,10,20\n" + BODY, ["dog"], NAMES),
    # The other first cells are numbers.
    ("digit,3,1,2\n0,.5,1,2\n1,1,1,2\n", [0, 1], ["0", "1"]),
    # Counting numbers of a class.
    (COUNTS, [0, 1, 2], NAMES),
    (COUNTS, ["cat", "dog"], NAMES),
    (COUNTS + "cat,1,1,1\n", (), [*NAMES, "cat"]),
    ("bird,0,1,2\na,3,4,5\n", (), ["bird", "a"]),
    ("7,0,1,2\n3,.5,4,5\n", (), ["7", "3"]),
    ("bird,0,1,2\n" + BODY, [0, 3], ["bird", *NAMES]),
    # Numbers of a class, though they rise.
    ("bird,0.1,0.2,0.3\n" + BODY, ["cat", "dog"], ["bird", *NAMES]),
    ("bird,0.1,0.2,0.3\n" + BODY, [0, 2, 3], ["bird", *NAMES]),
    ("bird,1,0,1\na,1,0,1\nb,1,1,0\nc,0,1,1\n", [0, 2], ["bird", "a", "b", "c"]),
]


@pytest.mark.parametrize("text, labels, names", HEADS)
def test_heads_that_are_numbers(table, text, labels, names):
    assert table(text, labels).names.tolist() == names


UNCLEAR = [
    (COUNTS, [0, 1]),
    ("bird,0,1,2\n" + BODY, ["cat", "dog"]),
    ("bird,0,1,2\n" + BODY, ()),
    ("bird,0,1,2\n" + BODY, [0, 1, 2]),
    ("bird,0,1,2\n" + BODY, [0, 2, 1, 7]),
    ("bird,0,1,2\n" + BODY, [0, 2]),
    ("bird,400,500,600\n" + BODY, [0, 1, 2]),
    ("bird,30,10,20\n" + BODY, [0, 1, 2]),
    ("class,1,2,3\n" + BODY, [0, 1, 2, 3]),
    ("bird,30,10,20\n" + BODY, [0, 1]),
    ("bird,1,0\na,0,1\nb,1,1\n", [0, 1]),
    ("bird,0,1,2\na,3,4,5\nb,1,1,0\n", [0, 1]),
    ("bird,0.5,1,1.5\n" + BODY, [0, 1, 2]),
    # Shuffled numbers of columns above whole numbers, and a class without an image.
    ("bird,2,0,1\na,1,0,1\nb,1,1,0\nc,0,1,1\n", [0, 2]),
]


@pytest.mark.parametrize("text, labels", UNCLEAR)
def test_heads_or_a_class(table, text, labels, refused):
    refused("line 1 may be heads or a class: delete it", table, text, labels)


REFUSALS = [
    ("", "classes.csv has no vector"),
    ("class,x\n", "has no vector"),
    ("a,1,2\nb,1\n", "line 2 has 1 numbers and the first one 2"),
    ("x,y\na,1,2\nb,3,4\n", "line 2 has 2 numbers and the first one 1"),  # as R writes
    ("a,1,2\nb,1,\n", "line 2 has 1 numbers and the first one 2"),
    ("a,1,2\nb,1,x\n", "line 2: 'x' is not a number"),
    ("a,1,2\nb,1_0,2\n", "line 2: '1_0' is not a number"),
    ("a,1,2\nb,nan,2\n", "line 2: 'nan' is not a number"),
    ("a,1,2\nb,٣,2\n", "line 2: '٣' is not a number"),
    ("a,1,2\nb,50%,2\n", "line 2: '50%' is not a number"),
    ("a;1,5;2\nb;1.234,5;2\n", "line 2: '1.234,5' is not a number"),
    ("a\nb\n", "line 1 has no comma"),
    (",1.5,2\nb,3,4\n", "line 1 has no name"),
    ("a,1,2\n ,3,4\n", "line 2 has no name"),
    ("a,,3\nb,3,4\n", "line 1: '' is not a number"),
    ("a,1x3,2\nb,1,2\n", "line 1: '1x3' is not a number"),
    ("a,?,n/a\nb,1,2\n", r"line 1: '\?' is not a number"),
    ("a,x,x\nb,1,2\n", "line 1: 'x' is not a number"),
    ("a,1x3\nb,1\n", "line 1: '1x3' is not a number"),
    ("a;0,5;x\nb;0,5;2\n", "line 1: 'x' is not a number"),
    ("a,1\nb,1e999\n", "line 2: '1e999' is not a number"),
    ('a,1\nb,"1,234"\n', "line 2: '1,234' is not a number: name the decimal sign"),
    ('a,1\nb,"1.234,56"\n', "line 2: '1.234,56' is not a number: name the decimal sign"),
    ('a,"0,5","1,5"\nb,"0,25","2,5"\n', "'0,25' is not a number: name the decimal sign"),
    ("a;1,5;2\nb;#NV;2\n", "line 2: '#NV' is not a number: fill this cell, or leave out"),
    ("class;x;;\na;1;;\nb;2;;\n", "line 2: '' is not a number: .* its column where that is em"),
    ("a;1.234.567\nb;5\n", "'1.234.567' is not a number: name the decimal sign, decimal="),
    ("b,x,y\nb,1,2\n", "line 1: 'x' is not a number"),
    ("cat;1,5\ndog;2,5\n", "can be read with commas and with semicolons between"),
    ("sep=:\na:1\n", "has 'sep=:' as its first line: use one of"),
    ('"cat,1,2\ndog,3,4\n', "line 1 is no line of a CSV file: unexpected end of data"),
    ("é,1,2\n".encode("latin-1"), "line 1 is not UTF-8: .* encoding"),
    (b"PK\x05\x06" + bytes(18), "is zip with 0 files"),
    ("a,1,2\nb,1e39,2\n", "numbers has 1e[+]39 at row 1, beyond the range of float32"),
    ("cat,3,038,-0,040\ndog,1,5,2,25\n", "line 1: 3,038,-0,040 looks like .* decimal comma"),
    ("a,-3,5,-2,1\nb,-1,2,4,5\n", "line 1: -3,5,-2,1 looks"),
    ("class,label,x\na,1,2\n", "line 1 calls column 2 'label'"),
    ("name,class_id,x\na,1,2\n", "column 2 'class_id': delete it if the classes are in the first"),
    (
        "x,y,class\n.5,1,cat\n",
        "line 2: 'cat' .* line 1 calls column 3 'class': put the classes in",
    ),
    (",species,x\n0,cat,.5\n", "line 2: 'cat' .* line 1 calls column 2 'species': put the cla"),
    ("class,id,x\ncat,img1,.5\n", "line 2: 'img1' .* column 2 'id': delete it if the classes"),
    *[
        (f"class,x,{head},y\na,.5,7,1\nb,1,3,2\na,1,4,2\n", f"column 3 '{head}', and its numbers")
        for head in ("", "Unnamed: 0", "Unnamed: 2", "index", "ID", "image_id")
    ],
    ("class;id;x\n1;8;0,5\n2;9;0,5\n", "column 2 'id', and its"),
    ("x,y,Class ID\n.5,1,2\n", "line 1 calls column 3 'Class ID'"),
    ("x,y\n0.5,1\n2,3\n", "line 2 has the number 0.5 for the name of a class"),
    (",kind,x\n0,2,.5\n1,1,.5\n", r"head '' above .*index=False.*index_label='class'"),
    ("Unnamed: 0,kind,x\n3,2,.5\n0,1,.5\n", "head 'Unnamed: 0' above numbers"),
    ('"","kind","x"\n"1",2,.5\n"2",1,.5\n', "head '' above numbers"),
    (",0,1\n0,2,.5\n1,1,.5\n", "head '' above numbers"),
    ("a;1,234;5\nb;12,345;6\n", "has '1,234' and the like .*decimal='.' or decimal=','"),
    ("a\t1.234\t5.678\nb\t12.345\t6\n", "has '1.234' and the like alone"),
    ("a;1;0,5\nb;NA;0,7\nc;2;0,8\n", "'NA' is not .*; with commas .*'b;NA;0' would be the name"),
    ("a;.5,1,2\nb;.6,2,3\n", "'.6,2,3' is not a number.* 'b;.6' would be the name of a class"),
    ("a;1,5;2\nb;0,7\n", "line 2 has 1 numbers and the first one 2"),
    ("a\t1,2\nb\t-\t3,4\n", r"with commas between, 'b\\t-\\t3' would be the name"),
]


@pytest.mark.parametrize("text, message", REFUSALS)
def test_refusals(table, text, message, refused):
    refused(message, table, text)


def test_heads_of_row_numbers_above_other_numbers(table):
    for head, other in (("wings", 2), ("id", 1), ("id", 0.5)):
        text = f"class,{head},高さ\na,1,1\nb,{other},2\n"
        assert table(text).rows.tolist() == [[1, 1], [other, 2]]


def test_a_first_line_that_labels_need(table, refused):
    refused("line 1: 'x' is not a number", table, "bird,x,y\na,1,2\nb,1,2\n", [0, 1, 2])
    assert table("bird,x,y\na,1,2\nb,1,2\n", [0, 1]).heads == "bird,x,y"


def test_numbered_classes_with_whole_numbers(table):
    text = ",wings,legs\n1,1,2\n2,0,4\n3,0,4\n"
    assert table(text, [1, 2]).names.tolist() == ["1", "2", "3"]
    for refused, labels in ((text, ()), (text.replace("2,0", "2,7"), [1, 2])):
        with pytest.raises(ValueError, match="head '' above numbers that are all different"):
            table(refused, labels)


@pytest.mark.parametrize(("decimal", "expected"), [(".", [1.234, 5]), (",", [1234, 5])])
def test_the_decimal_sign_may_be_named(table, decimal, expected, refused):
    assert table("a;1.234;5\nb;9.000;6\n", decimal=decimal).rows[0].tolist() == approx(expected)
    swapped = "a;1,234;5\nb;9,000;6\n"
    other = {".": ",", ",": "."}[decimal]
    assert table(swapped, decimal=other).rows[0].tolist() == approx(expected)
    assert table('a,1\nb,"1,234"\n', decimal=".").rows.tolist() == [[1], [1234]]
    mixed = "a;1.234.567,5;-2\nb;1,5;6\n"
    assert table(mixed, decimal=",").rows.tolist() == [[1234567.5, -2], [1.5, 6]]
    refused("decimal must be one of", table, swapped, decimal=";")
    refused("'1.5' is not a number: decimal=',' is of every CSV", table, "a,2\nb,1.5", decimal=",")


def test_whole_numbers_without_signs_are_read(table):
    text = "cat,1,0,1,0\ndog,0,1,12,3\nfox,-1,-4,0,2\n"
    np.testing.assert_array_equal(table(text).rows, [[1, 0, 1, 0], [0, 1, 12, 3], [-1, -4, 0, 2]])
