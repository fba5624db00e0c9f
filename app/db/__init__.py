"""The database: reading, and writing that loses nothing.

From a thread (a ``def`` endpoint, the command line, a test)::

    with db.write() as connection:
        connection.execute(...)

From the event loop, which must never wait for a disk::

    result = await db.submit(work, argument)      # work(connection, argument), in a thread that writes

A write is on the disk before it is answered; what is to be announced is announced only then, by functions
given to ``after_commit``. ``app.db.sqlite`` has one writer; ``app.db.postgresql`` has many, in many
processes: so a write that rests on what it reads must ``hold`` that first, or read it
``.with_for_update(key_share=True)``. SQLite takes no notice of either.
"""

from app.db.database import Base, Database, Lead, hold, will_pass, writes_alone
from app.db.opening import check_address, is_sqlite, open_database

__all__ = [
    "Base",
    "Database",
    "Lead",
    "check_address",
    "hold",
    "is_sqlite",
    "open_database",
    "will_pass",
    "writes_alone",
]
