"""Every script of a PostgreSQL database."""

from tenure.stores.postgres.verbs_admission import Admission
from tenure.stores.postgres.verbs_claiming import Claiming
from tenure.stores.postgres.verbs_effects import Effects
from tenure.stores.postgres.verbs_hints import Hints
from tenure.stores.postgres.verbs_keys import Keys
from tenure.stores.postgres.verbs_limits import Limits
from tenure.stores.postgres.verbs_ordering import Ordering
from tenure.stores.postgres.verbs_paging import Paging
from tenure.stores.postgres.verbs_pauses import Pauses
from tenure.stores.postgres.verbs_reading import Reading
from tenure.stores.postgres.verbs_redrives import Redrives
from tenure.stores.postgres.verbs_resealing import Resealing
from tenure.stores.postgres.verbs_schedules import Schedules
from tenure.stores.postgres.verbs_superseding import Superseding
from tenure.stores.postgres.verbs_writing import Writing


class PostgresVerbs(
    Reading,
    Writing,
    Claiming,
    Effects,
    Keys,
    Paging,
    Redrives,
    Resealing,
    Hints,
    Schedules,
    Pauses,
    Limits,
    Admission,
    Superseding,
    Ordering,
):
    """`stores.protocol.Verbs` for PostgreSQL; the method's docstrings are there."""
