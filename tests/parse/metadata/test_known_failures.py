"""What other readers get wrong, one test each."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from tests.parse.metadata.pages import article, meta, read
from wireroom.model import Claim

H1 = "<h1>Ferry returns after ten years</h1>"


def test_the_time_zone_is_not_dropped() -> None:
    moment = read(article(datePublished="2026-11-03T23:30:00-05:00")).published.value
    assert moment is not None
    assert moment.at == datetime(2026, 11, 4, 4, 30, tzinfo=UTC)
    assert (moment.offset, moment.local_day) == (timedelta(hours=-5), date(2026, 11, 3))


def test_local_times_marked_as_utc_are_put_right() -> None:
    head = article(datePublished="2026-11-03T10:00:00+00:00") + meta(
        article__published_time="2026-11-03T10:00:00+01:00"
    )
    found = read(head).published
    assert found.value is not None
    assert found.value.at == datetime(2026, 11, 3, 9, tzinfo=UTC)
    assert "marked as UTC" in found.notes[0]


def test_the_updated_date_is_not_taken_for_the_published_one() -> None:
    head = meta(article__modified_time="2026-11-09T10:00:00Z")
    found = read(
        head, f'{H1}<p>Updated 9 November 2026</p><p class="posted-on">2 November 2026</p>'
    )
    assert found.published.value is not None
    assert found.published.value.local_day == date(2026, 11, 2)
    assert found.modified.value is not None
    assert found.modified.value.local_day == date(2026, 11, 9)


def test_a_year_does_not_become_the_first_of_january() -> None:
    body = f"{H1}<p>Published in 2026</p><footer>© 2026 The Courier</footer>"
    assert read(meta(article__published_time="2026"), body).published.value is None


def test_a_teasers_date_is_not_the_articles() -> None:
    body = f'{H1}<p>Text.</p><div class="teaser"><time class="published" datetime="2026-11-01">x</time></div>'
    assert read("", body).published.value is None


def test_a_role_is_not_glued_to_the_name() -> None:
    body = f'{H1}<div class="byline"><span>Ada Lind</span><span>Staff Writer</span></div>'
    assert read("", body).authors.value == ("Ada Lind",)


def test_the_headline_is_not_replaced_by_the_title_for_search_engines() -> None:
    head = "<title>Ferry 2026: best times, prices</title>" + meta(
        og__title="Ferry 2026: best times, prices"
    )
    assert read(head, H1).title.value == "Ferry returns after ten years"


def test_a_template_that_says_en_does_not_hide_another_language() -> None:
    detected = Claim(value="el", source="text", confidence=0.99)
    assert read(lang="en", detected=detected).language.value == "el"


def test_a_huge_colspan_costs_nothing() -> None:
    body = f'{H1}<table><tr><td colspan="9007199254740991">x</td></tr></table>'
    assert read("", body).title.value == "Ferry returns after ten years"
