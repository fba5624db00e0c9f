"""The sentence for every reason and code that the house refuses something with, and for every outcome.

The rules and services give stable codes and facts (columns, cards); here, and nowhere else, they become
words. A code without a sentence gets a general one, so that a new code is never an error on a page; a test
asks for the sentence.
"""

from collections.abc import Mapping

from app.i18n.cards import card_name
from app.i18n.formats import listed
from app.i18n.words import gettext, marked, marked_pair, ngettext

Facts = Mapping[str, str | int]

_REFUSALS = {
    "same_column": marked("The cards lie in column %(column)s already."),
    "empty_column": marked("Column %(column)s is empty: there is nothing to move."),
    "not_one_higher": marked(
        "The %(card)s does not go there: column %(column)s ends with the %(onto)s, "
        "and a card goes on one that is one rank higher."
    ),
    "not_in_suit": marked(
        "The %(card)s does not go there: column %(column)s ends with the %(onto)s, "
        "and here a card goes only on one of its own suit."
    ),
    "kings_only": marked("The %(card)s does not go there: an empty column takes only a king here."),
    "stock_empty": marked("The stock is empty."),
    "no_complete_run": marked("Column %(column)s does not end in a complete run, king to ace in one suit."),
    # Spilzone
    "something_new": marked("A move still leads to something new: the stock waits until none does."),
    "stock_not_empty": marked("The stock is not used up yet."),
    "nothing_to_gather": marked("There is no drawn card to be gathered."),
    "redeal_changes_nothing": marked("Going through the stock again would change nothing."),
    # Hypyt, Holy Seven, Pyramid
    "empty_place": marked("Place %(place)s is empty."),
    "same_card": marked("The same card cannot be taken twice."),
    "not_a_hop": marked("No hop leads from place %(place)s to place %(target)s."),
    "no_match": marked(
        "The %(card)s does not hop onto the %(onto)s: they are alike neither in rank nor in suit."
    ),
    "not_seven": marked("These cards do not add up to seven: %(cards)s."),
    "goes_in_a_pair": marked("Not alone: the %(card)s goes only with a card that makes seven with it."),
    "place_taken": marked("The %(card)s stays: another card of its rank is waiting in the upper row."),
    "turning_used": marked("The turning card has been used."),
    "something_can_go": marked("A card is turned only when no card of the row can go."),
    "covered": marked("The card on place %(place)s is covered."),
    "not_thirteen": marked("These cards do not add up to thirteen: %(cards)s."),
    "no_king": marked("Only a king goes alone."),
    "waste_empty": marked("The waste is empty."),
    "no_passes_left": marked("The stock may not be gone through again."),
    # the patience that is there to be copied
    "not_next": marked("The foundation takes only the card that comes next."),
    "not_higher": marked("A card goes only on a higher one."),
    # what is the same in every patience
    "nothing_to_undo": marked("There is nothing to undo."),
    "nothing_to_redo": marked("There is nothing to redo."),
    "nothing_to_restart": marked("The cards lie as they were dealt."),
    "game_over": marked("This game has ended."),
}

_COUNTED_REFUSALS = {
    "not_face_up": marked_pair(
        "Column %(column)s has no card that lies face up.",
        "Fewer than %(num)s cards of column %(column)s lie face up.",
    ),
    "not_a_run": marked_pair(
        "The last card of column %(column)s does not move.",
        "The last %(num)s cards of column %(column)s do not move together: "
        "only a run in one suit, each card one rank lower, does.",
    ),
}

_SPACE_ON_DEAL = marked_pair(
    "Column %(columns)s is empty: a row can only be dealt when every column holds a card.",
    "Columns %(columns)s are empty: a row can only be dealt when every column holds a card.",
)

_OUTCOMES = {
    "no_move": marked("No move is left."),
    "no_deal": marked(
        "Deadlock: fewer cards are left on the table than there are columns, "
        "so a row can never be dealt again."
    ),
    "turned_fits_nowhere": marked("The turned card fits nowhere."),
}

_STATUSES = {
    "playing": marked("Being played"),
    "won": marked("Won"),
    "lost": marked("Stuck"),
    "given_up": marked("Given up"),
}

_BAD_DEALS = {
    "empty": marked("Type a deal code."),
    "too_long": marked("That is too long for a deal code."),
    "malformed": marked("That is no deal code. One looks like this: %(example)s"),
    "symbol": marked("There is a symbol in it that no deal code has."),
    "check": marked("The check symbol does not fit: there is a typing error somewhere in the code."),
    "leading_zero": marked("The number in a deal code does not start with a zero."),
    "range": marked("The number in that deal code is too large."),
    "version": marked("That deal code is of a shuffle that this version of the program does not know."),
    "patience": marked("That deal code is of a patience that is not played here."),
    "layout": marked("The cards in that deal code are no opening of this patience."),
    "number": marked("There is no deal of that number."),
}
_EXAMPLE = "spider4-H3"

_BAD_LAYOUTS = {
    "layout_keys": marked("The layout does not have exactly the parts that it should have."),
    "layout_types": marked("A part of the layout is of the wrong type."),
    "layout_memory": marked("What the layout tells besides its cards does not fit them."),
    "ten_columns": marked("A layout of this patience has ten columns."),
    "seven_columns": marked("A layout of this patience has seven columns."),
    "columns_count": marked("The layout has a wrong number of columns for this patience."),
    "not_a_card": marked("There is something in the layout that is no card."),
    "face_down_count": marked("Column %(column)s has a wrong number of face-down cards."),
    "stock_not_in_rows": marked("The cards of the stock do not make whole rows."),
    "complete_run_on_table": marked("There is a complete run on the table that would have been collected."),
    "too_many_suits": marked("The layout has more suits than the game is played with."),
    "not_the_pack": marked("The cards of the layout are not those that this patience is played with."),
    "one_card_a_place": marked("Place %(column)s takes one card, face up."),
    "gap_in_row": marked("There is a gap in the row."),
    "stock_too_large": marked("Stock and waste have more cards than they can have."),
    "upper_row": marked("The upper row cannot hold these cards."),
    "turned_fits": marked("The turned card cannot have stayed while something could go."),
    "not_gone_in_pairs": marked("The cards that are missing do not go together."),
    "hangs_in_the_air": marked("Cards lie on place %(column)s, but it is empty."),
}

_PROBLEMS = {
    # what is not well-formed
    "bad_request": marked("That request cannot be understood."),
    "invalid_request": marked("That request cannot be understood."),
    "bad_json": marked("That is not valid JSON."),
    "bad_form": marked("The form was not sent as it should be."),
    "malformed_move": marked("That is not a move."),
    "malformed_deal": marked("That is no deal code."),
    "bad_deal_code": marked("That is no deal code."),
    "bad_params": marked("The patience has no such parameters."),
    "bad_scoring": marked("The patience has no such scoring."),
    "bad_layout": marked("That is no layout of this patience."),
    "unknown_patience": marked("That patience is not played here."),
    "unsupported_media_type": marked("The server does not take that type of content."),
    "payload_too_large": marked("That is more than the server takes at once."),
    "body_too_large": marked("That is more than the server takes at once."),
    "method_not_allowed": marked("That cannot be done at this address."),
    # who asks
    "unauthorized": marked("You are not signed in."),
    "not_signed_in": marked("You are not signed in."),
    "forbidden": marked("You may not do that."),
    "cross_site": marked("The request came from another site and was not carried out."),
    "bad_host": marked("The server does not answer to that address."),
    "wrong_credentials": marked("The name or the password is wrong."),
    "bad_code": marked("That code is wrong, used or out of date."),
    "bad_name": marked("That name cannot be taken."),
    "name_taken": marked("That name is taken."),
    "bad_password": marked("Choose another password."),
    "already_account": marked("You have an account already."),
    "not_account": marked("Only accounts can do that."),
    "too_many_sessions": marked("You are signed in on too many devices. Sign one of them out first."),
    # what is asked for
    "not_found": marked("There is nothing at this address."),
    "stale_ply": marked(
        "The game has moved on elsewhere, in another window perhaps. This is how it stands now."
    ),
    "illegal_move": marked("The rules do not allow that."),
    "deal_is_won": marked("That deal is won as it lies: there is nothing to play."),
    "deal_mismatch": marked("The deal code is one of another kind of game."),
    "game_too_long": marked("This game is as long as a game can get."),
    "undo_off": marked("This game is played without undo."),
    "help_off": marked("This game is played without help: no hint, no verdict, no line."),
    "not_known_yet": marked("Not known yet."),
    "no_gain": marked("No move seen that gains anything at once, which is not to say that there is none."),
    "no_winnable_deal": marked("No deal that is sure to be winnable is ready. Try again in a moment."),
    "not_all_face_up": marked("Some cards are still hidden."),
    "no_line_known": marked("The engine knows no way to win from here."),
    "not_ended": marked("That is shown when the game has ended."),
    "unsolvable": marked("From here the game can no longer be won: the engine has proved it. Undo to go on."),
    "not_supported": marked("The engine does not play this patience."),
    "engine_off": marked("The engine is not running here."),
    "engine_busy": marked("The engine has too much to do. Try again in a while."),
    "engine_busy_own": marked("The engine is still at your other questions. Wait for one of them first."),
    # races
    "race_full": marked("The race is full."),
    "race_started": marked("The race has started already."),
    "race_over": marked("The race is over."),
    "not_in_race": marked("You are not in this race."),
    "not_host": marked("Only the host can do that."),
    "not_enough_ready": marked("Two players at least must be ready."),
    "not_yet": marked("That cannot be done now."),
    "too_many_races": marked("You are waiting in too many races. Leave one of them first."),
    # company
    "watching_only": marked("You are only watching this game."),
    "not_owner": marked("Only the one whose game it is can do that."),
    "no_invitation": marked("This link leads nowhere any more."),
    "not_shareable": marked("In races and daily deals everyone plays for themselves."),
    "table_full": marked("There is no place left at this table."),
    "no_company": marked("Nobody else may come to this game."),
    "bad_race": marked("A race cannot have that time or that number of players."),
    # arenas
    "arena_over": marked("The arena is over."),
    "not_in_arena": marked("You are not in this arena."),
    "too_many_arenas": marked("You have made as many arenas as may be open at once."),
    "bad_arena": marked("An arena cannot have those times or that number of players."),
    # the server's own
    "busy": marked("The server is busy. Try again in a moment."),
    "too_many_requests": marked("That was too fast. Try again in a moment."),
    "rate_limited": marked("That was too fast. Try again in a moment."),
    "internal_error": marked("Something went wrong here, and it is not your fault. Your game is kept."),
    "unavailable": marked("The server cannot do that just now. Your game is kept."),
}

_PLAYER_REASONS = {
    ("bad_name", "too_short"): marked("A name has at least 2 characters."),
    ("bad_name", "too_long"): marked("A name has at most 24 characters."),
    ("bad_name", "bad_character"): marked(
        "A name is made of letters and digits, "
        "with spaces, dots, hyphens, apostrophes and underscores between them."
    ),
    ("bad_name", "mixed_scripts"): marked("A name is written in one script."),
    ("bad_name", "reserved"): marked("That name is not free to be taken."),
    ("bad_password", "too_short"): marked("That password is too short."),
    ("bad_password", "too_long"): marked("That password is too long."),
    ("bad_password", "same_as_name"): marked("The password must not be the same as the name."),
    ("bad_password", "too_simple"): marked("That password is too easy to guess."),
}


def refusal(reason: str, facts: Facts | None = None) -> str:
    """Why something was not done, in a sentence that names the rule and the column or card."""
    facts = facts or {}
    if reason == "space_on_deal":
        columns = str(facts["columns"]).split()
        return ngettext(*_SPACE_ON_DEAL, len(columns), columns=listed(columns))
    if reason in _COUNTED_REFUSALS:
        return ngettext(*_COUNTED_REFUSALS[reason], int(facts["count"]), column=facts["column"])
    sentence = _REFUSALS.get(reason) or _OUTCOMES.get(reason) or _PROBLEMS.get(reason)
    return gettext(sentence or _PROBLEMS["illegal_move"], **_in_words(facts))


def outcome(reason: str) -> str:
    """Why a game is lost."""
    return gettext(_OUTCOMES.get(reason, _OUTCOMES["no_move"]))


def status(code: str) -> str:
    """How a game stands, in a word or two."""
    return gettext(_STATUSES[code])


def bad_deal(reason: str) -> str:
    """Why a text is no deal code."""
    return gettext(_BAD_DEALS.get(reason, _PROBLEMS["bad_deal_code"]), example=_EXAMPLE)


def bad_layout(reason: str, facts: Facts | None = None) -> str:
    """Why a document is no layout."""
    return gettext(_BAD_LAYOUTS.get(reason, _PROBLEMS["bad_layout"]), **{"column": "?", **(facts or {})})


def problem(code: str, reason: str | None = None) -> str:
    """What an error code means; a player's error may have a ``reason`` that narrows it down."""
    narrower = _PLAYER_REASONS.get((code, reason)) if reason else None
    return gettext(narrower or _PROBLEMS.get(code) or _REFUSALS.get(code) or _PROBLEMS["bad_request"])


def _in_words(facts: Facts) -> dict[str, str | int]:
    """The facts with cards by their names."""
    words = dict(facts)
    for name in ("card", "onto"):
        if name in facts:
            words[name] = card_name(str(facts[name]))
    if "cards" in facts:
        words["cards"] = listed(card_name(text) for text in str(facts["cards"]).split())
    return words
