import pytest
from jinja2 import Environment, nodes

from app.i18n import LANGUAGES, using
from app.i18n.templates import install
from app.web.templating import environment


@pytest.fixture(scope="module")
def env():
    environment = Environment(autoescape=True)
    install(environment)
    return environment


def test_one_environment_speaks_every_language(env):
    template = env.from_string("{{ _('There is nothing to undo.') }}")
    with using("fi"):
        assert template.render() == "Ei ole mitään kumottavaa."
    with using("en"):
        assert template.render() == "There is nothing to undo."


def test_templates_use_filters_and_tests_that_there_are():
    """Jinja looks for those inside an ``if`` only when it comes there."""
    whole = environment()
    assert len(whole.list_templates()) > 50
    for name in whole.list_templates(extensions=("html", "svg", "txt")):
        tree = whole.parse(whole.loader.get_source(whole, name)[0])
        assert {node.name for node in tree.find_all(nodes.Filter)} <= set(whole.filters), name
        assert {node.name for node in tree.find_all(nodes.Test)} <= set(whole.tests), name


def test_what_is_put_into_a_message_is_escaped(env):
    hostile = "<script>"
    for source in (
        "{{ _('Column %(column)s', column=x) }}",
        "{% trans column=x %}Column {{ column }}{% endtrans %}",
        "{{ ngettext('%(num)s suit of %(x)s', '%(num)s suits of %(x)s', 2, x=x) }}",
        "{{ pgettext('card', '%(rank)s of %(suit)s', rank=x, suit=x) }}",
        "{{ npgettext('c', '%(num)s of %(x)s', '%(num)s of %(x)s', 2, x=x) }}",
    ):
        shown = env.from_string(source).render(x=hostile)
        assert "<script>" not in shown
        assert "&lt;script&gt;" in shown


def test_a_message_the_catalogue_lacks_is_shown_in_english(env):
    with using("pl"):
        assert env.from_string("{{ _('No catalogue has this') }}").render() == "No catalogue has this"
        counted = "{{ ngettext('%(num)s such thing', '%(num)s such things', n) }}"
        assert [env.from_string(counted).render(n=n) for n in (1, 2)] == ["1 such thing", "2 such things"]


def test_trans_takes_the_form_of_the_number(env):
    template = env.from_string("{% trans num=n %}{{ num }} suit{% pluralize %}{{ num }} suits{% endtrans %}")
    with using("pl"):
        assert [template.render(n=n) for n in (1, 3, 5)] == ["1 kolor", "3 kolory", "5 kolorów"]


def test_a_percent_sign_is_written_twice(env):
    assert (
        env.from_string("{{ _('100%%') }} {{ _('%(n)s%%', n=5) }} {% trans %}50%{% endtrans %}").render()
        == "100% 5% 50%"
    )


@pytest.mark.parametrize("code", LANGUAGES)
def test_cards_and_numbers_are_at_hand(env, code):
    source = "{{ 'TS'|card_name }} {{ 'TS'|card_index }} {{ 1020|number }} {{ language() }}"
    with using(code):
        shown = env.from_string(source).render()
    assert shown.endswith(code)
    assert " 10 1" in shown
