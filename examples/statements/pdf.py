"""Draws one statement. The same slice gives the same bytes, on every machine: the creation date is the statement's
own, the document's id comes from its content, and the streams are not compressed (zlib's output varies)."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from fpdf import FPDF
from fpdf.enums import XPos, YPos

from statements.balances import Slice, cents
from statements.rows import Entry

FORMAT: Final = 1
"""The format's version. Raise it with every change that changes the bytes of a statement."""

_INK, _GREY, _PALE, _ACCENT = (33, 37, 41), (108, 117, 125), (244, 246, 248), (24, 78, 119)
_MARGIN: Final = 18.0
_ROW: Final = 6.4
_WIDTHS: Final = (22.0, 84.0, 34.0, 34.0)
_HEADINGS: Final = ("Date", "Description", "Amount", "Balance")
_ALIGNS: Final = ("L", "L", "R", "R")


def draw(part: Slice) -> bytes:
    """The statement of a slice as a PDF file."""
    page = _Statement(part)
    page.add_page()
    page.summary()
    page.entries()
    return bytes(page.output())


def money(amount: Decimal) -> str:
    """1,234.50, with a minus in front of what is below zero."""
    return f"{Decimal(cents(amount)):,}"


class _Statement(FPDF):
    """fpdf2 calls `header` and `footer` for each page."""

    def __init__(self, part: Slice) -> None:
        super().__init__(format="A4")
        self.part = part
        self.core_fonts_encoding = "windows-1252"
        self.set_compression(False)
        self.set_margins(_MARGIN, _MARGIN)
        self.set_auto_page_break(True, margin=22)
        self.set_title(f"Account statement {part.account} {part.month}")
        self.set_creator("statements, an example of Tenure")
        self.set_creation_date(datetime.fromisoformat(f"{part.month}-01").replace(tzinfo=UTC))

    def header(self) -> None:
        self.set_fill_color(*_ACCENT)
        self.rect(0, 0, self.w, 3, style="F")
        self._style("B", 18, _ACCENT)
        self.cell(0, 9, "Account statement", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self._style("", 10, _GREY)
        self.cell(0, 6, f"Account {self.part.account}", new_x=XPos.LMARGIN)
        self.cell(0, 6, _period(self.part.month), align="R", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(5)
        if self.page_no() > 1:
            self._headings()

    def footer(self) -> None:
        self.set_y(-15)
        self._style("", 8, _GREY)
        self.cell(0, 5, f"{self.part.account} - {self.part.month} - format {FORMAT}", new_x=XPos.LMARGIN)
        self.cell(0, 5, f"Page {self.page_no()} of {{nb}}", align="R")

    def summary(self) -> None:
        """Four boxes: what it opened with, what came and went, what it closed with."""
        part = self.part
        boxes = {
            "Opening balance": part.opening,
            "Paid in": part.paid_in,
            "Paid out": part.paid_out,
            "Closing balance": part.closing,
        }
        top, width = self.get_y(), (self.epw + 2) / len(boxes)
        for place, (label, amount) in enumerate(boxes.items()):
            left = self.l_margin + place * width
            self.set_fill_color(*_PALE)
            self.rect(left, top, width - 2, 17, style="F")
            self.set_xy(left + 2, top + 2.5)
            self._style("", 8, _GREY)
            self.cell(width - 6, 5, label)
            self.set_xy(left + 2, top + 8)
            self._style("B", 11, _INK)
            self._fitted(width - 6, money(amount))
        self.set_xy(self.l_margin, top + 23)

    def entries(self) -> None:
        """The entries with the balance after each, and the totals below."""
        self._headings()
        for place, (entry, balance) in enumerate(self.part.running()):
            self._entry(entry, balance, shaded=place % 2 == 1)
        if self.will_page_break(_ROW + 2):
            self.add_page()
        self.set_draw_color(*_ACCENT)
        self.line(self.l_margin, self.get_y() + 1, self.l_margin + self.epw, self.get_y() + 1)
        self.ln(2)
        self._style("B", 9, _INK)
        count = len(self.part.entries)
        total = f"{count} {'entry' if count == 1 else 'entries'}"
        self._row(("", total, money(self.part.paid_in + self.part.paid_out), money(self.part.closing)))

    def _headings(self) -> None:
        self._style("B", 9, (255, 255, 255))
        self.set_fill_color(*_ACCENT)
        self._row(_HEADINGS, fill=True)

    def _entry(self, entry: Entry, balance: Decimal, *, shaded: bool) -> None:
        lines = self._wrapped(entry.description)
        if self.will_page_break(_ROW * len(lines)):
            self.add_page()
        self._style("", 9, _INK)
        self.set_fill_color(*_PALE)
        self._row((entry.date.isoformat(), lines[0], money(entry.amount), money(balance)), fill=shaded)
        for line in lines[1:]:
            self._row(("", line, "", ""), fill=shaded)

    def _row(self, texts: tuple[str, ...], *, fill: bool = False) -> None:
        for text, width, align in zip(texts, _WIDTHS, _ALIGNS, strict=True):
            self._fitted(width, text, align, fill=fill)
        self.ln(_ROW)

    def _fitted(self, width: float, text: str, align: str = "L", *, fill: bool = False) -> None:
        """A cell whose type is made smaller where the text is wider, so that a long number is never cut."""
        size = self.font_size_pt
        wide = self.get_string_width(text)
        if wide > width - 2:
            self.set_font_size(size * (width - 2) / wide)
        self.cell(width, _ROW, text, align=align, fill=fill)
        self.set_font_size(size)

    def _wrapped(self, text: str) -> list[str]:
        self._style("", 9, _INK)
        lines = [""]
        for word in text.split(" "):
            longer = f"{lines[-1]} {word}".strip()
            if self.get_string_width(longer) <= _WIDTHS[1] - 2:
                lines[-1] = longer
            else:
                lines.extend(self._broken(word))
        return [line for line in lines if line] or [""]

    def _broken(self, word: str) -> list[str]:
        """A word that is wider than the column in pieces that are not."""
        pieces = [""]
        for character in word:
            if self.get_string_width(pieces[-1] + character) > _WIDTHS[1] - 2:
                pieces.append("")
            pieces[-1] += character
        return pieces

    def _style(self, style: str, size: float, color: tuple[int, int, int]) -> None:
        self.set_font("Helvetica", style, size)
        self.set_text_color(*color)


def _period(month: str) -> str:
    names = ("January", "February", "March", "April", "May", "June", "July",
             "August", "September", "October", "November", "December")  # fmt: skip
    return f"{names[int(month[5:]) - 1]} {month[:4]}"
