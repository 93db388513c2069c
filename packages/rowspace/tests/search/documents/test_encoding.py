"""Bytes → text, in encodings as people have them."""

import pytest
from hypothesis import given, strategies as st

from rowspace.errors import FileFormatError
from rowspace.search.reading.documents.encoding import decode_text


def test_unicode():
    for text in ("é\n中", "a\r\nb"):
        for encoding in ("utf-8", "utf-8-sig", "utf-16"):
            assert decode_text(text.encode(encoding)) == text.replace("\r", ""), encoding
        assert decode_text(b"\xfe\xff" + text.encode("utf-16-be")) == text.replace("\r", "")
    assert decode_text("été, naïve, œuvre".encode() + b" \xff cut") == "été, naïve, œuvre \ufffd cut"


@given(st.text())
def test_what_is_utf_8_stays(text):
    if "\0" not in text and "\r\n" not in text and not text.startswith("\ufeff"):
        assert decode_text(text.encode()) == text


def test_western_europe_without_a_declaration():
    for text in (
        "Überraschungen sind schön, naß in Köln",
        "« passé »\xa0: l'été, où ?\xa0»",
        "¿Qué año? ¡Mañana!",
        "ÅÄÖ åäö",
        "\xa0\xa0\xa0\xa0\xa0é",
    ):
        assert decode_text(text.encode("latin-1")) == text
    for text in ("It’s the “budget” report – café…", "10 €, l’œuvre • ™"):
        assert decode_text(text.encode("cp1252")) == text


def test_comments_declare_the_encoding_of_source_code():
    for text, encoding in (
        ("# -*- coding: koi8-r -*-\n# привет", "koi8-r"),
        ("#!/usr/bin/python\n# vim: set fileencoding=windows-1251 :\n# привет", "cp1251"),
        ("\n# encoding: euc-jp\n# 日本", "euc_jp"),
        ("# coding: latin-1\n'œ'", "cp1252"),
        ("# coding: latin-1\n'é'", "utf-8"),  # as it is
        ("# coding: punycode\n'é'", "latin-1"),
        ("# coding: nonsense\n'é'", "latin-1"),
    ):
        assert decode_text(text.encode(encoding)) == text, text


def test_html_and_xml_declare_their_encoding():
    for text, encoding in (
        ('<meta charset="Shift_JIS"><p>日本語①', "cp932"),
        ("<!-- <meta charset=koi8-r> --><META http-equiv=x content='text/html; charset=windows-1251'>привет", "cp1251"),
        ('<head><meta name="a" content="b"/><meta charset=gb2312>中文', "gbk"),
        ("<meta charset='iso-2022-jp'>日本語", "iso2022_jp"),
        ("<meta charset='iso-8859-1'>“é”", "cp1252"),  # as browsers read it
        ("<meta charset='koi8-r'>привет", "utf-8"),
        ("<?xml version='1.0' encoding=\"windows-1250\"?><p>łódź", "cp1250"),
    ):
        assert decode_text(text.encode(encoding), is_html=True) == text, text
    with pytest.raises(FileFormatError, match="unknown encoding"):
        decode_text("<meta charset=windows-1251>привет".encode("cp1251"))  # in a file of another kind


def test_what_is_not_known_is_left_out():
    for text, encoding in (
        ("x = 1  # проверка значения", "cp1251"),
        ("日本語のテキスト", "shift_jis"),
        ("int x; // 中文注释测试", "gbk"),
        ("한국어 문서", "euc-kr"),
        ("Zażółć gęślą jaźń", "cp1250"),
        ("café élève", "mac-roman"),
        ("fünf Stück", "cp437"),
    ):
        with pytest.raises(FileFormatError, match=r"^in an unknown encoding$"):
            decode_text(text.encode(encoding))
    for data, reason in (
        (b"a\0b", "binary"),
        (b"\xff\xfe\0\0a\0\0\0", "binary"),
        (b"\x01caf\xe9", "binary"),
        (b"\xff\xfea", "not valid UTF-16"),
    ):
        with pytest.raises(FileFormatError, match=f"^{reason}$"):
            decode_text(data)
