"""The verbs of SQLite, gathered from one module for each thing that is asked."""

from tenure.stores.sqlite.verbs_admission import AdmissionVerbs
from tenure.stores.sqlite.verbs_claim import ClaimVerbs
from tenure.stores.sqlite.verbs_effects import EffectVerbs
from tenure.stores.sqlite.verbs_hints import HintVerbs
from tenure.stores.sqlite.verbs_keys import KeyVerbs
from tenure.stores.sqlite.verbs_limits import LimitVerbs
from tenure.stores.sqlite.verbs_ordering import OrderVerbs
from tenure.stores.sqlite.verbs_paging import PagingVerbs
from tenure.stores.sqlite.verbs_pauses import PauseVerbs
from tenure.stores.sqlite.verbs_produce import ProduceVerbs
from tenure.stores.sqlite.verbs_redrives import RedriveVerbs
from tenure.stores.sqlite.verbs_resealing import ResealVerbs
from tenure.stores.sqlite.verbs_schedules import ScheduleVerbs
from tenure.stores.sqlite.verbs_superseding import SupersedeVerbs
from tenure.stores.sqlite.verbs_upkeep import UpkeepVerbs
from tenure.stores.sqlite.verbs_write import WriteVerbs


class SqliteVerbs(
    ProduceVerbs,
    ClaimVerbs,
    WriteVerbs,
    UpkeepVerbs,
    EffectVerbs,
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
