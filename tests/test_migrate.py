import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

import app.migrate
from app.db import Base, open_database
from app.migrate import KEPT_COPIES, MigrationError, migrate
from app.settings import Settings, resource
from tests.support.server import ROOT

VERSIONS = resource("migrations") / "versions"


@pytest.fixture
def versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the migrations that a test may add to."""
    folder = tmp_path / "migrations"
    shutil.copytree(resource("migrations"), folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(app.migrate, "resource", lambda _name: folder)
    return folder / "versions"


def add(versions: Path, head: str, upgrade: str, more: str = "") -> None:
    (versions / "test_next.py").write_text(
        f"from alembic import op\nrevision = 'next'\ndown_revision = {head!r}\n{more}\n"
        f"def upgrade():\n    {upgrade}\n\ndef downgrade():\n    pass\n"
    )


def add_player(settings: Settings, name: str) -> None:
    database = open_database(settings.database_url)
    with database.write() as connection:
        connection.execute(text("INSERT INTO players (id, created_at) VALUES (:id, 0)"), {"id": name})
    database.close()


def players(path: Path | str) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM players ORDER BY id")]


def tables(settings: Settings) -> set[str]:
    with closing(sqlite3.connect(settings.data_dir / "spindel.db")) as connection:
        return {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def test_an_empty_database_is_built_and_nothing_is_copied(settings: Settings) -> None:
    done = migrate(settings)
    assert done.before is None
    assert done.after is not None
    assert done.copy is None
    assert {"players", "games", "log"} <= tables(settings)
    assert not (settings.data_dir / "backups").exists()


def test_a_second_start_finds_nothing_to_do(settings: Settings) -> None:
    first = migrate(settings)
    second = migrate(settings)
    assert not second.changed
    assert second.after == first.after
    assert not (settings.data_dir / "backups").exists()


def test_migrations_build_just_what_the_tables_declare(settings: Settings) -> None:
    migrate(settings)
    database = open_database(settings.database_url)
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    database.close()


def test_every_step_goes_down_and_up_again(settings: Settings) -> None:
    head = migrate(settings).after
    built = tables(settings)
    assert migrate(settings, "base").after is None
    assert tables(settings) <= {"alembic_version", "sqlite_sequence"}
    for script in sorted(path.name[:4] for path in VERSIONS.glob("0*.py")):
        assert migrate(settings, script).after == script
    assert migrate(settings).after == head
    assert tables(settings) == built


def test_the_database_is_copied_aside_before_an_upgrade(settings: Settings) -> None:
    migrate(settings, "0001")
    add_player(settings, "kept")
    done = migrate(settings)
    assert done.copy is not None
    assert done.copy.parent == settings.data_dir / "backups"
    assert players(done.copy) == ["kept"]
    assert stat.S_IMODE(done.copy.stat().st_mode) == 0o600
    with closing(sqlite3.connect(done.copy)) as copy:
        assert copy.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]
    assert sorted(path.suffix for path in done.copy.parent.iterdir()) == [".db"], "a copy is one file"


def test_old_copies_are_deleted(settings: Settings) -> None:
    migrate(settings)
    for _ in range(KEPT_COPIES // 2 + 1):
        migrate(settings, "0001")
        migrate(settings)
    assert len(list((settings.data_dir / "backups").iterdir())) == KEPT_COPIES


def test_a_migration_that_fails_leaves_all_as_it_was(settings: Settings, versions: Path) -> None:
    head = str(migrate(settings).after)
    add_player(settings, "kept")
    add(versions, head, "op.execute('CREATE TABLE half (a)'); op.execute('nonsense')")
    with pytest.raises(Exception, match="nonsense"):
        migrate(settings)
    assert "half" not in tables(settings)
    (versions / "test_next.py").unlink()
    assert migrate(settings).before == head
    assert players(settings.data_dir / "spindel.db") == ["kept"]


def test_a_migration_that_would_lose_rows_is_refused(settings: Settings, versions: Path) -> None:
    head = str(migrate(settings).after)
    add_player(settings, "kept")
    add(versions, head, "op.execute('DELETE FROM players')")
    with pytest.raises(MigrationError, match="lose 1 rows of players"):
        migrate(settings)
    assert players(settings.data_dir / "spindel.db") == ["kept"]


def test_a_migration_may_say_that_it_takes_rows_away(settings: Settings, versions: Path) -> None:
    head = str(migrate(settings).after)
    add_player(settings, "gone")
    add(versions, head, "op.execute('DELETE FROM players')", "LOSES_ROWS_OF = {'players'}")
    assert migrate(settings).after == "next"
    assert players(settings.data_dir / "spindel.db") == []


def test_a_rebuilt_table_keeps_the_rows_of_its_children(settings: Settings, versions: Path) -> None:
    head = str(migrate(settings).after)
    add_player(settings, "parent")
    database = open_database(settings.database_url)
    with database.write() as connection:
        connection.execute(text("CREATE TABLE child (p TEXT REFERENCES players (id) ON DELETE CASCADE)"))
        connection.execute(text("INSERT INTO child VALUES ('parent')"))
    database.close()
    rebuild = "op.execute('SELECT 1')\n    with op.batch_alter_table('players', recreate='always'): pass"
    add(versions, head, rebuild)
    assert migrate(settings).after == "next"
    with closing(sqlite3.connect(settings.data_dir / "spindel.db")) as connection:
        assert connection.execute("SELECT p FROM child").fetchall() == [("parent",)]


def test_a_migration_that_leaves_orphans_is_refused(settings: Settings, versions: Path) -> None:
    head = str(migrate(settings).after)
    add_player(settings, "parent")
    orphan = "op.execute('CREATE TABLE child (p TEXT REFERENCES players (id))'); "
    add(versions, head, orphan + "op.execute(\"INSERT INTO child VALUES ('nobody')\")")
    with pytest.raises(MigrationError, match="without their parents: 1 in child"):
        migrate(settings)
    assert "child" not in tables(settings)


def test_a_database_of_a_newer_version_is_left_alone(settings: Settings) -> None:
    migrate(settings)
    with closing(sqlite3.connect(settings.data_dir / "spindel.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    with pytest.raises(MigrationError, match="written by a newer Spindel"):
        migrate(settings)


def test_an_unknown_revision_is_refused(settings: Settings) -> None:
    with pytest.raises(MigrationError, match="no revision 9999"):
        migrate(settings, "9999")


def test_the_newest_revision_is_known_without_alembic(settings: Settings) -> None:
    assert app.migrate._newest() == migrate(settings).after


def test_a_start_with_nothing_to_migrate_does_not_load_alembic(settings: Settings) -> None:
    migrate(settings)
    script = (
        "import sys; from app.migrate import migrate; from app.settings import Settings; "
        "assert not migrate(Settings(data_dir=sys.argv[1])).changed; assert 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script, str(settings.data_dir)], check=True, cwd=ROOT, timeout=60)
