"""Logging: one line an event, on standard error, as text for people or as JSON for machines.

No line holds a card, a deal, a token, or the values of variables in a traceback.
"""

import logging
import sys

import structlog


class _Libraries(logging.Handler):
    """Writes what libraries log as our own lines are written."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            # Looked up at each line: tests put another stream in its place.
            print(self.format(record), file=sys.stderr, flush=True)  # noqa: T201
        except Exception:
            self.handleError(record)


_libraries = _Libraries()


def configure(level: str = "INFO", *, as_json: bool = False) -> None:
    """Set up structlog and the loggers of libraries. Standard output stays free for answers."""
    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    first: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last: list[structlog.typing.Processor] = (
        [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        if as_json
        else [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)]
    )
    structlog.configure(
        processors=[*first, *last],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=_to_stderr,
        cache_logger_on_first_use=False,
    )
    _libraries.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*first, structlog.stdlib.add_logger_name],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    root = logging.getLogger()
    root.setLevel(max(number, logging.WARNING))
    if _libraries not in root.handlers:
        root.addHandler(_libraries)


def _to_stderr(*_names: object) -> structlog.PrintLogger:
    # Looked up at each call: tests put another stream in its place.
    return structlog.PrintLogger(sys.stderr)
