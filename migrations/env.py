"""Alembic's entry: the program hands over a connection (app/migrate.py), a developer's command has none."""

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from alembic import context
from sqlalchemy import Connection

import app
from app.db import Base
from app.migrate import connection_to
from app.settings import Settings

for package in iter_modules(app.__path__, "app."):
    if package.ispkg and find_spec(f"{package.name}.tables"):
        import_module(f"{package.name}.tables")


def run(connection: Connection) -> None:
    # SQLite can alter little in place: batch mode rebuilds a table and copies its rows.
    context.configure(
        connection=connection, target_metadata=Base.metadata, render_as_batch=True, compare_type=True
    )
    with context.begin_transaction():
        context.run_migrations()


given: Connection | None = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    settings = Settings()
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    with connection_to(settings.database_url) as own, own.begin():
        run(own)
