"""The block of the page on transactions writes once, and says what it cannot write."""

import sqlalchemy

from tenure import Context, Tenure, Terminal
from tenure.testing import drain
from tests.docs import pages
from tests.docs.conftest import Play


def test_the_reservation_of_the_page_is_made_once(folder: object, play: Play) -> None:
    app = Tenure("sqlite:///shop.db")
    app.open()
    engine = sqlalchemy.create_engine("sqlite:///shop.db")
    block = pages.blocks(pages.how_to("enqueue-in-your-transaction"), "python")[2:]
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("CREATE TABLE stock (item INTEGER, free INTEGER, fence INTEGER)"))
        connection.execute(sqlalchemy.text("INSERT INTO stock VALUES (7, 1, 0)"))

    @app.task(max_attempts=1)
    def order(ctx: Context) -> None:
        for _ in range(2):
            play(block, ctx=ctx, engine=engine, text=sqlalchemy.text, Terminal=Terminal)

    order.enqueue()
    order.enqueue()
    assert [ran.code for ran in drain(app)] == [None, "sold_out"]
    engine.dispose()
    app.close()
