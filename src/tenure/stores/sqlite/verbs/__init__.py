"""The verbs of SQLite, gathered from one module for each thing that is asked."""

from tenure.stores.sqlite.verbs.admitting import AdmissionVerbs
from tenure.stores.sqlite.verbs.claiming import ClaimVerbs
from tenure.stores.sqlite.verbs.credentials import KeyVerbs
from tenure.stores.sqlite.verbs.hinting import HintVerbs
from tenure.stores.sqlite.verbs.ledger import LedgerVerbs
from tenure.stores.sqlite.verbs.limiting import LimitVerbs
from tenure.stores.sqlite.verbs.ordering import OrderVerbs
from tenure.stores.sqlite.verbs.paging import PagingVerbs
from tenure.stores.sqlite.verbs.pausing import PauseVerbs
from tenure.stores.sqlite.verbs.producing import ProduceVerbs
from tenure.stores.sqlite.verbs.redriving import RedriveVerbs
from tenure.stores.sqlite.verbs.resealing import ResealVerbs
from tenure.stores.sqlite.verbs.scheduling import ScheduleVerbs
from tenure.stores.sqlite.verbs.superseding import SupersedeVerbs
from tenure.stores.sqlite.verbs.upkeep import UpkeepVerbs
from tenure.stores.sqlite.verbs.writing import WriteVerbs


class SqliteVerbs(
    ProduceVerbs,
    ClaimVerbs,
    WriteVerbs,
    UpkeepVerbs,
    LedgerVerbs,
    KeyVerbs,
    PagingVerbs,
    RedriveVerbs,
    ScheduleVerbs,
    ResealVerbs,
    HintVerbs,
    PauseVerbs,
    SupersedeVerbs,
    LimitVerbs,
    AdmissionVerbs,
    OrderVerbs,
):
    """The `Verbs` of SQLite: plain SQL with `?`, fit for the store's connections and for a caller's."""
