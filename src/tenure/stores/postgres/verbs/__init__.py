"""Every script of a PostgreSQL database."""

from tenure.stores.postgres.verbs.admitting import AdmissionVerbs
from tenure.stores.postgres.verbs.claiming import ClaimVerbs
from tenure.stores.postgres.verbs.credentials import KeyVerbs
from tenure.stores.postgres.verbs.hinting import HintVerbs
from tenure.stores.postgres.verbs.ledger import LedgerVerbs
from tenure.stores.postgres.verbs.limiting import LimitVerbs
from tenure.stores.postgres.verbs.ordering import OrderVerbs
from tenure.stores.postgres.verbs.paging import PagingVerbs
from tenure.stores.postgres.verbs.pausing import PauseVerbs
from tenure.stores.postgres.verbs.reading import ReadVerbs
from tenure.stores.postgres.verbs.redriving import RedriveVerbs
from tenure.stores.postgres.verbs.resealing import ResealVerbs
from tenure.stores.postgres.verbs.scheduling import ScheduleVerbs
from tenure.stores.postgres.verbs.superseding import SupersedeVerbs
from tenure.stores.postgres.verbs.writing import WriteVerbs


class PostgresVerbs(
    ReadVerbs,
    WriteVerbs,
    ClaimVerbs,
    LedgerVerbs,
    KeyVerbs,
    PagingVerbs,
    RedriveVerbs,
    ResealVerbs,
    HintVerbs,
    ScheduleVerbs,
    PauseVerbs,
    LimitVerbs,
    AdmissionVerbs,
    SupersedeVerbs,
    OrderVerbs,
):
    """`stores.protocol.Verbs` for PostgreSQL; the method's docstrings are there."""
