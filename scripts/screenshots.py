"""Makes the pictures of docs/pictures (`python scripts/screenshots.py`): every page on the town's data, in a real browser.

`--all FOLDER` writes each page at desk and phone width, in light and dark, to look at.
"""

from __future__ import annotations

import argparse
import struct
import sys
import tempfile
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from playwright.sync_api import Page

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))  # the browser and the server are those of the tests

from tests.cli.towns import SETTINGS  # noqa: E402
from tests.web.browser import DESK, PHONE, Scheme, addresses, chromium, window  # noqa: E402
from tests.web.serving import OWN, TOKEN, Pages, serving  # noqa: E402

from wireroom.app import App, open_app  # noqa: E402
from wireroom.settings import load_settings  # noqa: E402
from wireroom.town import build_town, running_town  # noqa: E402

# Of scripts that the fonts of a bare machine have: a picture with boxes for letters looks broken.
FOLLOWED = ("courier.test", "digest.test", "alminaa.test", "phare.test", "akti.test", "faro.test")
LIST = b"url\nfaro.test\ncourier.test\nnowhere.invalid\n"
PICTURES = "docs/pictures"
SMALL = (1280, 720)  # of a picture in docs
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


PIXELS = """async (png) => {
  const image = await createImageBitmap(await (await fetch("data:image/png;base64," + png)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  let text = "";
  const data = canvas.getImageData(0, 0, image.width, image.height).data;
  for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
  return [image.width, image.height, btoa(text)];
}"""
COLOURS = 240  # paper, ink, a few colours and their edges


def with_few_colours(blank: Page, png: bytes) -> bytes:
    """The same picture with a palette: a third of the size, and no difference to be seen."""
    width, height, packed = blank.evaluate(PIXELS, b64encode(png).decode())
    pixels = np.frombuffer(b64decode(packed), np.uint8).reshape(-1, 4)[:, :3].astype(np.int32)
    found, inverse, counts = np.unique(pixels, axis=0, return_inverse=True, return_counts=True)
    colourful = found.max(axis=1) - found.min(
        axis=1
    )  # a rare red or amber says more than a grey edge
    palette = found[np.argsort(-counts * (1 + colourful), kind="stable")[:COLOURS]]
    nearest = ((found[:, None, :] - palette[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)
    rows = nearest[inverse.reshape(-1)].astype(np.uint8).reshape(height, width)
    lines = b"".join(b"\0" + row.tobytes() for row in rows)
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = (
        (b"IHDR", head),
        (b"PLTE", palette.astype(np.uint8).tobytes()),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )


def main() -> None:
    """Makes them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", metavar="FOLDER", type=Path, dest="folder")
    parser.add_argument("--only", nargs="*", default=())
    given = parser.parse_args()
    looks = LOOKS if given.folder else (("desk", SMALL, "light"),)
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
                blank = page.context.new_page()
                for name, place in {**places, "login": f"{closed.url}/login"}.items():
                    if given.only and name not in given.only:
                        continue
                    page.goto(place)
                    file = folder / (f"{name}-{look}.png" if given.folder else f"{name}.png")
                    png = page.screenshot(full_page=bool(given.folder))
                    file.write_bytes(png if given.folder else with_few_colours(blank, png))
                    print(file, file.stat().st_size // 1000, "KB")


if __name__ == "__main__":
    main()
