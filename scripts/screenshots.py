"""Makes the pictures of docs/pictures: every page on the town's data, in a real browser.

`--all FOLDER` writes each page at desk and phone width, in light and dark, to look at.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))  # the browser and the server are those of the tests

from tests.cli.towns import SETTINGS  # noqa: E402
from tests.web.browser import DESK, PHONE, Scheme, addresses, chromium, window  # noqa: E402
from tests.web.serving import OWN, TOKEN, Pages, serving  # noqa: E402

from wireroom.app import App, open_app  # noqa: E402
from wireroom.settings import load_settings  # noqa: E402
from wireroom.town import build_town, running_town  # noqa: E402

FOLLOWED = ("courier.test", "digest.test", "alminaa.test", "phare.test", "haneul.test", "faro.test")
LIST = b"url\nfaro.test\ncourier.test\nnowhere.invalid\n"
PICTURES = "docs/pictures"
LOOKS: tuple[tuple[str, tuple[int, int], Scheme], ...] = (
    ("desk", DESK, "light"),
    ("desk-dark", DESK, "dark"),
    ("phone", PHONE, "light"),
    ("phone-dark", PHONE, "dark"),
)


@contextmanager
def filled_app() -> Iterator[App]:
    """An app in which papers of the town are followed and their articles held."""
    with tempfile.TemporaryDirectory() as folder, running_town(build_town()) as running:
        lines = "\n".join(f'"{name}" = "{place}"' for name, place in running.hosts.items())
        text = SETTINGS.replace("sqlite:///w.db", f"sqlite:///{folder}/w.db") + lines + "\n"
        own = Path(folder, "own.toml")
        own.write_text(text, encoding="utf-8")
        with open_app(load_settings(config=str(own)).settings, clock=running.town.clock.now) as app:
            app.add(*FOLLOWED)
            app.run_once()
            yield app


def all_addresses(app: App, pages: Pages) -> dict[str, str]:
    """Those of every page, and of a list that has been followed."""
    edge = "edge-of-the-form"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="papers.csv"\r\n\r\n'
    answer = pages.ask(
        "/",
        method="POST",
        body=head.encode() + LIST + f"\r\n--{edge}--\r\n".encode(),
        headers={"Content-Type": f"multipart/form-data; boundary={edge}", **OWN},
    )
    return {**addresses(app), "list": answer.headers["location"]}


def main() -> None:
    """Makes them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", metavar="FOLDER", type=Path, dest="folder")
    parser.add_argument("--only", nargs="*", default=())
    given = parser.parse_args()
    looks = LOOKS if given.folder else LOOKS[:1]
    folder = given.folder or REPOSITORY / PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    with (
        filled_app() as app,
        serving(app) as pages,
        serving(app, token=TOKEN) as closed,
        chromium() as browser,
    ):
        places = all_addresses(app, pages)
        for look, size, scheme in looks:
            with window(browser, pages, size=size, scheme=scheme) as (page, _):
                for name, place in {**places, "login": f"{closed.url}/login"}.items():
                    if given.only and name not in given.only:
                        continue
                    page.goto(place)
                    file = folder / (f"{name}-{look}.png" if given.folder else f"{name}.png")
                    page.screenshot(path=file, full_page=bool(given.folder))
                    print(file, file.stat().st_size // 1000, "KB")


if __name__ == "__main__":
    main()
