import base64
from datetime import UTC, datetime
from email.message import EmailMessage

import pytest

from connectors.documents.local import LocalParser
from mneme.errors import InputError
from mneme.ports import ParsedDocument
from mneme.settings import Documents

pytest.importorskip("unstructured", reason="documents are not installed")


def _mail(subject: str = "The fence", body: str = "It is old.") -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = subject, "Alice <alice@example.org>", "bob@example.org"
    mail["Date"] = "Sat, 01 Mar 2025 10:00:00 +0800"
    mail.set_content(body)
    return mail


def _parsed(mail: EmailMessage | bytes, depth: int = 3) -> ParsedDocument:
    content = mail if isinstance(mail, bytes) else mail.as_bytes()
    return LocalParser(Documents().model_copy(update={"attachment_depth": depth})).parse(content, "a.eml", "message/rfc822")


def test_who_wrote_what_to_whom_and_when_is_text_and_metadata() -> None:
    found = _parsed(_mail())
    assert found.title == "The fence"
    assert found.dated_at == datetime(2025, 3, 1, 2, tzinfo=UTC)
    assert found.metadata == {"subject": "The fence", "from": "Alice <alice@example.org>", "to": "bob@example.org"}
    assert found.sections[0].text == (
        "Subject: The fence\nFrom: Alice <alice@example.org>\nTo: bob@example.org\nDate: Sat, 01 Mar 2025 10:00:00 +0800"
        "\n\nIt is old."
    )


def test_html_is_read_instead_of_the_plain_text_beside_it() -> None:
    mail = _mail(body="plain")
    mail.add_alternative("<h1>Offer</h1><p>Rich.</p><script>no()</script>", subtype="html")
    head, body = (section.text for section in _parsed(mail).sections)
    assert ("plain" in head, body) == (False, "Rich.")


def test_plain_text_is_read_where_the_html_is_empty() -> None:
    mail = _mail(body="plain")
    mail.add_alternative("", subtype="html")
    assert "plain" in _parsed(mail).sections[0].text


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64", "8bit"])
def test_chinese_mails_are_read(encoding: str) -> None:
    mail = _mail()
    mail.set_content("请看附件。", charset="gb2312", cte=encoding)
    words = base64.b64encode("关于围栏".encode("gb2312")).decode()
    content = mail.as_bytes().replace(b"The fence", f"=?gb2312?B?{words}?=".encode())
    found = _parsed(content)
    assert found.title == "关于围栏"
    assert found.sections[0].text.endswith("请看附件。")


def test_headers_without_an_encoding_are_taken_for_that_of_the_body() -> None:
    head = "Subject: 关于报价\r\nFrom: 王小明 <a@b.cn>\r\nDate: Sat, 01 Mar 2025 10:00:00 +0800\r\n"
    content = f"{head}Content-Type: text/plain; charset=gb2312\r\nContent-Transfer-Encoding: 8bit\r\n\r\n正文。".encode(
        "gb2312"
    )
    found = _parsed(content)
    assert (found.title, found.metadata["from"]) == ("关于报价", "王小明 <a@b.cn>")


def test_headers_of_one_name_may_each_have_an_encoding_of_their_own() -> None:
    head = "Subject: Hi\r\nTo: 王小明 <a@b.cn>\r\n".encode() + "To: 李雷 <l@b.cn>\r\n".encode("gb2312")
    found = _parsed(head + b"Message-ID: <1@b.cn>\r\nContent-Type: text/plain; charset=gb2312\r\n\r\nBody.")
    assert found.metadata["to"] == "王小明 <a@b.cn>, 李雷 <l@b.cn>"


def test_attachments_are_read_and_cited_by_their_names() -> None:
    inner = _mail("Inner", "Inner body.")
    inner.add_attachment(b"# Offer\n\nCheap.", maintype="text", subtype="markdown", filename="offer.md")
    mail = _mail()
    mail.add_attachment(inner)
    found = _parsed(mail)
    places = [section.place for section in found.sections]
    assert places == ["", "attachment Inner.eml", "attachment Inner.eml, attachment offer.md, line 3"]
    assert not found.unread


def test_an_attachment_that_cannot_be_read_is_named_and_the_mail_is_read() -> None:
    mail = _mail()
    mail.add_attachment(b"\0\1\2\3" * 100, maintype="application", subtype="octet-stream", filename="data.bin")
    found = _parsed(mail)
    assert len(found.sections) == 1
    assert len(found.unread) == 1
    assert found.unread[0].startswith("attachment data.bin: it is binary data")


def test_an_endless_name_of_an_attachment_is_cut() -> None:
    mail = _mail()
    mail.add_attachment(b"Cheap.", maintype="text", subtype="plain", filename="x" * 5_000 + ".txt")
    assert _parsed(mail).sections[1].place == f"attachment {'x' * 96}.txt, line 1"


def test_mails_in_mails_are_opened_to_the_depth_of_the_settings() -> None:
    mail = _mail("Letter 0")
    for number in range(1, 5):
        outer = _mail(f"Letter {number}")
        outer.add_attachment(mail)
        mail = outer
    found = _parsed(mail, depth=2)
    assert [section.text.split("\n")[0] for section in found.sections] == [f"Subject: Letter {n}" for n in (4, 3, 2)]
    assert len(found.unread) == 1
    assert "it lies 3 documents deep, and 2 are opened; send it by itself" in found.unread[0]


def test_a_mail_without_a_date_has_that_of_the_first_server() -> None:
    mail = _mail()
    del mail["Date"]
    mail["Received"] = "from b by c; Sun, 02 Mar 2025 10:00:00 +0000"
    mail["Received"] = "from a by b; Sat, 01 Mar 2025 10:00:00 +0000"
    assert _parsed(mail).dated_at == datetime(2025, 3, 1, 10, tzinfo=UTC)


def test_parts_in_parts_do_not_end_in_a_recursion() -> None:
    head = b"Subject: Bomb\r\nFrom: a@b.c\r\nMIME-Version: 1.0\r\n"
    parts = b"".join(b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (n, n) for n in range(80))
    found = _parsed(head + parts + b"\r\nbottom")
    assert found.title == "Bomb"
    assert any("deep" in reason for reason in found.unread)


def test_what_has_neither_headers_nor_a_body_is_refused() -> None:
    from connectors.documents.formats.mail import parse_eml
    from connectors.documents.local import Task

    with pytest.raises(InputError, match="no mail"):
        parse_eml(b"", Task("a.eml", None, Documents(), lambda *_: ParsedDocument("", ())))
