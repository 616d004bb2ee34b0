"""A rewrite of many rows as one statement that the server runs to its end and that commits batch by batch.

It walks the table in the order of the key. Of each batch it takes the rows that fulfil the condition and that nobody
has locked, so that it waits for nobody's row; who wants one of them waits for one batch at most. Where it had to leave
some, it goes there again. Where the next batch begins is asked in the same statement: between two, somebody may have
added a row in front of it. After each batch it rests for as long as that took: half of the time is for the others.
"""

from typing import Final

from tenure.stores.migration_steps import Rewrite

_ROWS: Final = 500
_TRIES: Final = 30
_PAUSE: Final = "0.2 + random() * 0.8"

_WALK: Final = """DO $tenure$
#variable_conflict use_column
DECLARE
    {declarations}
    tenure_began timestamptz;
    tenure_missed bigint;
    tenure_written bigint;
    tenure_still bigint;
    tenure_gained bigint := 0;
    tenure_tries integer := 0;
BEGIN
    SELECT {key} INTO {here} FROM {table} ORDER BY {key} LIMIT 1;
    WHILE {here_1} IS NOT NULL LOOP
        tenure_began := clock_timestamp();
        SET LOCAL lock_timeout = '500ms';
        BEGIN
            WITH page AS MATERIALIZED (
                SELECT {key}, ({condition}) IS TRUE AS tenure_left, row_number() OVER (ORDER BY {key}) AS tenure_place
                FROM {table} WHERE ({key}) >= ({here}) ORDER BY {key} LIMIT {rows} + 1
            ), batch AS MATERIALIZED (
                SELECT {key} FROM page WHERE tenure_left AND tenure_place <= {rows}
            ), taken AS MATERIALIZED (
                SELECT {key} FROM {table} WHERE ({key}) IN (SELECT {key} FROM batch) AND ({condition}) IS TRUE
                FOR UPDATE SKIP LOCKED
            ), written AS (
                {write} WHERE ({key}) IN (SELECT {key} FROM taken) RETURNING {still} AS tenure_left
            )
            SELECT {behind}, (SELECT count(*) FROM batch) - (SELECT count(*) FROM taken),
                count(*), count(*) FILTER (WHERE tenure_left)
            INTO {next}, tenure_missed, tenure_written, tenure_still FROM written;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            SELECT {key} INTO {next} FROM {table} WHERE ({key}) >= ({here}) ORDER BY {key} OFFSET {rows} LIMIT 1;
            tenure_missed := 1; tenure_written := 0; tenure_still := 0;
        END;
        IF tenure_still > 0 THEN
            RAISE EXCEPTION 'rows of {table} that were rewritten still fulfil the condition: this would never end';
        END IF;
        COMMIT;
        tenure_gained := tenure_gained + tenure_written;
        IF tenure_missed > 0 AND {again_1} IS NULL THEN
            {set_again}
        END IF;
        {set_here}
        IF {here_1} IS NOT NULL OR {again_1} IS NULL THEN
            PERFORM pg_sleep(extract(epoch FROM clock_timestamp() - tenure_began));
            CONTINUE;
        END IF;
        tenure_tries := CASE WHEN tenure_gained > 0 THEN 0 ELSE tenure_tries + 1 END;
        IF tenure_tries = {tries} THEN
            RAISE EXCEPTION 'rows of {table} stay locked by other transactions' USING ERRCODE = 'lock_not_available';
        END IF;
        {set_back}
        tenure_gained := 0;
        PERFORM pg_sleep({pause});
    END LOOP;
    {note};
END $tenure$"""


def batches(step: Rewrite, note: str) -> str:
    """note: the statement that writes down, in the end, that it is done."""
    variables = {when: [f"tenure_{when}_{column}" for column in step.key] for when in ("here", "next", "again")}
    here, following, again = variables["here"], variables["next"], variables["again"]
    typed = [
        f"{name} {step.table}.{column}%TYPE;"
        for names in variables.values()
        for name, column in zip(names, step.key, strict=True)
    ]
    return _WALK.format(
        declarations="\n    ".join(typed), key=", ".join(step.key), table=step.table, condition=step.condition,
        here=", ".join(here), next=", ".join(following), here_1=here[0], again_1=again[0],
        set_here=_set(here, following), set_again=_set(again, here),
        set_back=" ".join([_set(here, again), *(f"{name} := NULL;" for name in again)]),
        write=step.verb,
        behind=", ".join(f"(SELECT {column} FROM page WHERE tenure_place > {_ROWS})" for column in step.key),  # noqa: S608 (our own files)
        still="false" if step.change is None else f"({step.condition}) IS TRUE",
        rows=_ROWS, tries=_TRIES, pause=_PAUSE, note=note,
    )  # fmt: skip


def _set(names: list[str], values: list[str]) -> str:
    return " ".join(f"{name} := {value};" for name, value in zip(names, values, strict=True))
