"""The renderer of the map without a page: WebGL2 in one lane, plain arrays in the other.

What the two do by different code runs in both lanes in CI, too.
"""

import base64
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

WIDTH, HEIGHT = 400, 300
STAGE = f"""<!doctype html><html lang="en"><link rel="icon" href="data:,"><body style="margin:0;background:#fff">
<div style="position:relative;width:{WIDTH}px;height:{HEIGHT}px">
<canvas tabindex="0" style="display:block;width:100%;height:100%"></canvas></div>
<script type="module">
import {{ createMap }} from "/static/map.js";
window.begin = (backend, xy) => {{
  window.heard = [];
  const hear = (kind) => (value) => heard.push([kind, value?.length === undefined ? value : [...value]]);
  const on = {{ hover: hear("hover"), click: hear("click"), lasso: hear("lasso") }};
  window.map = createMap(document.querySelector("canvas"), {{ backend, on }});
  map.setPoints(numbers(xy));
  return map.settled();
}};
window.numbers = (packed) => new Float32Array(Uint8Array.fromBase64(packed).buffer);
window.change = (kind, act) => new Promise((done) => {{
  document.querySelector("canvas").addEventListener(kind, () => done(null), {{ once: true }});
  act();
}});
window.places = (count) => {{
  const places = Float64Array.from({{ length: 2 * count }}, (_, at) => map.placeOf(at >> 1)?.[at & 1] ?? NaN);
  return new Uint8Array(places.buffer).toBase64();
}};
const times = (count, request) => new Promise((done) => {{
  const next = (left) => left ? request(() => next(left - 1)) : done(null);
  next(count);
}});
window.idle = (count) => times(count, (act) => requestIdleCallback(act));
window.frames = (count) => times(count, (act) => requestAnimationFrame(act));
</script>"""


class Stage:
    """A document that contains only a map."""

    def __init__(self, page: Page, lab_url: str) -> None:
        self.page = page
        page.route(f"{lab_url}/stage", lambda route: route.fulfill(content_type="text/html", body=STAGE))
        page.goto(f"{lab_url}/stage")
        page.wait_for_function("() => window.begin !== undefined")

    def begin(self, xy: np.ndarray, backend: str) -> None:
        """Create the map and wait until all of it is drawn."""
        self.page.evaluate("([backend, xy]) => begin(backend, xy)", [backend, packed(xy)])

    def run(self, script: str, argument: object = None) -> Any:
        """Run a script and wait until the map has settled."""
        self.page.evaluate(script, argument)
        return self.page.evaluate("map.settled()")

    def ask(self, script: str, argument: object = None) -> Any:
        """Evaluate a script."""
        return self.page.evaluate(script, argument)

    def places(self, count: int) -> np.ndarray:
        """The positions of the first ids on the canvas: (count, 2) CSS pixels."""
        return unpacked(self.ask("places", count))

    def picture(self) -> np.ndarray:
        """(height, width, 3) of a screenshot."""
        image = Image.open(io.BytesIO(self.page.locator("canvas").first.screenshot()))
        return np.asarray(image.convert("RGB")).astype(int)


def packed(xy: np.ndarray) -> str:
    """Encode numbers for the page's `numbers`; lists would take seconds."""
    return base64.b64encode(np.float32(xy).tobytes()).decode()


def unpacked(places: str) -> np.ndarray:
    """Decode the result of the page's `places`: (count, 2)."""
    return np.frombuffer(base64.b64decode(places)).reshape(-1, 2)


@pytest.fixture
def backend(lane: str) -> str:
    return {"webgl": "webgl2", "no-webgl": "canvas2d"}[lane]


@pytest.fixture
def stage(page: Page, lab_url: str) -> Stage:
    return Stage(page, lab_url)


@pytest.fixture
def cloud() -> Callable[[int], np.ndarray]:
    """`cloud(count)`: reproducible random points."""
    return lambda count: np.random.default_rng(7).normal(size=(count, 2)).astype(np.float32)


@pytest.mark.both_lanes
def test_backend_option_is_respected_and_auto_avoids_software_webgl(stage, cloud, backend: str) -> None:
    stage.begin(cloud(10), backend)
    assert stage.ask("map.backendName") == backend
    assert stage.ask("map.destroy() ?? document.querySelectorAll('canvas').length") == 1
    stage.page.reload()
    stage.page.wait_for_function("() => window.begin !== undefined")
    stage.begin(cloud(10), "auto")
    assert stage.ask("map.backendName") == "canvas2d"


@pytest.mark.both_lanes
@pytest.mark.parametrize("shards", [0, 3], ids=["before the index", "with the index"])
@pytest.mark.long
def test_pick_returns_the_nearest_point(stage, cloud, backend: str, shards: int) -> None:
    stage.begin(cloud(70_000), backend)
    stage.ask("map.pick(0, 0)")
    stage.ask("idle", shards)  # the map builds one per idle callback
    asked = np.random.default_rng(1).uniform((0, 0), (WIDTH, HEIGHT), size=(300, 2))
    picked = stage.ask("(asked) => asked.map(([x, y]) => map.pick(x, y))", asked.tolist())
    places = stage.places(70_000)
    for place, found in zip(asked, picked, strict=True):
        distances = np.hypot(*(places - place).T)
        if found is None:
            assert distances.min() > 10 - 1e-6
        else:
            assert distances[found] == pytest.approx(distances.min(), abs=1e-6)
    assert None in picked
    assert len(set(picked)) > 100


def test_pick_returns_the_lowest_id_of_equal_positions(stage, backend: str) -> None:
    xy = np.full((5000, 2), 3.0)
    xy[::7] = np.nan
    stage.begin(xy, backend)
    assert stage.ask(f"map.pick({WIDTH / 2}, {HEIGHT / 2})") == 1
    stage.run("(xy) => map.setPoints(numbers(xy))", packed(np.full(10_000, 3.0)))
    assert stage.places(5000) == pytest.approx(np.tile([WIDTH / 2, HEIGHT / 2], (5000, 1)))


def test_lasso_selects_the_points_inside_a_polygon(stage, cloud, backend: str) -> None:
    stage.begin(cloud(3000), backend)
    polygon = np.array([[60, 40], [330, 60], [250, 140], [350, 260], [120, 280], [180, 150]], float)
    held = stage.ask("(polygon) => [...map.lasso(polygon)]", polygon.tolist())
    away = polygon[:, None] - stage.places(3000)  # (corners, points, 2)
    angles = np.arctan2(away[..., 1], away[..., 0])
    turns = np.angle(np.exp(1j * (np.roll(angles, -1, axis=0) - angles))).sum(axis=0)
    assert held == np.flatnonzero(np.abs(turns) > np.pi).tolist()
    assert 500 < len(held) < 2900
    assert stage.ask("map.lasso([]).length") == 0


@pytest.mark.both_lanes
@pytest.mark.long
def test_tween_ends_at_the_new_positions(stage, cloud, backend: str) -> None:
    stage.begin(cloud(500), backend)
    goal = cloud(1000)[500:] * 3 + 5
    stage.run("(xy) => map.moveTo(numbers(xy), 300)", packed(goal))
    viewport = stage.ask("map.viewport")
    expected = (goal - [viewport["x"], viewport["y"]]) * [viewport["scale"], -viewport["scale"]] + [
        WIDTH / 2,
        HEIGHT / 2,
    ]
    assert stage.places(500) == pytest.approx(expected, abs=1e-3)
    moved = stage.picture()
    stage.run("(xy) => map.setPoints(numbers(xy))", packed(goal))
    assert np.array_equal(moved, stage.picture())


@pytest.mark.long
def test_interrupted_tween_continues_from_the_current_positions(stage, cloud, backend: str) -> None:
    stage.begin(cloud(500), backend)
    began = stage.places(500)
    stage.ask("(xy) => map.moveTo(numbers(xy), 2000)", packed(-cloud(500)))
    stage.page.wait_for_function("(x) => Math.abs(map.placeOf(0)[0] - x) > 5", arg=began[0][0])
    before, after = map(
        unpacked,
        stage.ask(
            "(xy) => { const before = places(500); map.moveTo(numbers(xy), 200); return [before, places(500)]; }",
            packed(cloud(500) * 2),
        ),
    )
    assert after == pytest.approx(before, abs=1e-2)
    assert after != pytest.approx(began, abs=1)
    stage.ask("map.settled()")
    viewport = stage.ask("map.viewport")
    expected = (cloud(500) * 2 - [viewport["x"], viewport["y"]]) * [viewport["scale"], -viewport["scale"]] + [
        WIDTH / 2,
        HEIGHT / 2,
    ]
    assert stage.places(500) == pytest.approx(expected, abs=1e-3)


def test_reduced_motion_disables_tweens(stage, cloud, backend: str) -> None:
    stage.page.emulate_media(reduced_motion="reduce")
    stage.begin(cloud(50), backend)
    stage.ask("(xy) => map.moveTo(numbers(xy), 1e7)", packed(-cloud(50)))
    assert stage.ask("map.viewport.x") == pytest.approx(-(cloud(50)[:, 0].min() + cloud(50)[:, 0].max()) / 2)


@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.long
def test_map_of_zero_or_one_point(stage, backend: str, count: int) -> None:
    stage.begin(np.full((count, 2), -2.5), backend)
    assert (stage.ask("map.count"), stage.ask("map.drawn"), stage.ask("map.missing")) == (count, count, 0)
    assert stage.ask(f"map.pick({WIDTH / 2}, {HEIGHT / 2})") == (0 if count else None)
    assert (stage.picture() < 255).any() == bool(count)


@pytest.mark.both_lanes
@pytest.mark.long
def test_points_without_a_position_are_counted_and_not_drawn(stage, cloud, backend: str) -> None:
    xy = cloud(40)
    xy[3], xy[7, 1], xy[20, 0] = np.nan, np.inf, -np.inf
    stage.begin(xy, backend)
    assert stage.ask("map.missing") == 3
    assert [stage.ask("(id) => map.placeOf(id)", id) for id in (3, 7, 20)] == [None] * 3
    everywhere = f"[...map.lasso([[0, 0], [{WIDTH}, 0], [{WIDTH}, {HEIGHT}], [0, {HEIGHT}]])]"
    assert stage.ask(everywhere) == [id for id in range(40) if id not in (3, 7, 20)]
    stage.run("(xy) => map.setPoints(numbers(xy))", packed(np.full(80, np.nan)))
    assert stage.ask("map.missing") == 40
    assert (stage.picture() == 255).all()


def test_point_without_a_position_appears_at_its_new_one(stage, cloud, backend: str) -> None:
    xy = cloud(40)
    xy[3] = np.nan
    stage.begin(xy, backend)
    stage.ask("(xy) => map.moveTo(numbers(xy), 1e7)", packed(cloud(40)))
    viewport = stage.ask("map.viewport")
    expected = (cloud(40)[3] - [viewport["x"], viewport["y"]]) * [viewport["scale"], -viewport["scale"]] + [
        WIDTH / 2,
        HEIGHT / 2,
    ]
    assert stage.places(4)[3] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(
    "wrong",
    [
        "map.setPoints(new Float32Array(3))",
        "map.moveTo(new Float32Array(8), 100)",
        "map.setColors(new Uint8Array(7))",
        "map.setSizes(new Float32Array(1))",
    ],
)
def test_arrays_of_the_wrong_length_are_rejected(stage, cloud, backend: str, wrong: str) -> None:
    stage.begin(cloud(3), backend)
    assert stage.ask(f"(() => {{ try {{ {wrong} }} catch (error) {{ return error.name; }} }})()") == "RangeError"


@pytest.mark.parametrize("lane", ["webgl"], indirect=True)
@pytest.mark.parametrize("count", [60, 4000, 120_000])
def test_both_backends_draw_the_same_pixels(stage, cloud, count: int) -> None:
    pictures = []
    palette = [0, 114, 178, 255, 213, 94, 0, 255, 0, 158, 115, 120]
    for name in ("webgl2", "canvas2d"):
        stage.page.reload()
        stage.page.wait_for_function("() => window.begin !== undefined")
        stage.begin(cloud(count), name)
        stage.run(
            "([count, palette]) => { const ids = [...Array(count).keys()];"
            " map.setColors(Uint8Array.from(ids, (id) => id % 3), Uint8Array.from(palette));"
            " map.setSizes(Float32Array.from(ids, (id) => 1 + (id % 2))); }",
            [count, palette],
        )
        pictures.append(stage.picture())
    differing = np.abs(pictures[0] - pictures[1]).max(axis=-1)
    covered = (pictures[0] < 255).any(axis=-1)
    assert covered.sum() > 300
    assert (differing > 3).sum() < 0.01 * covered.sum()


@pytest.mark.parametrize("lane", ["webgl"], indirect=True)
def test_lost_context_is_restored(context, lab_url: str, cloud) -> None:
    stage = Stage(context.new_page(), lab_url)  # not the `page` fixture: the browser warns about the loss
    stage.begin(cloud(2000), "webgl2")
    stage.run("map.setColors(new Uint8Array(2000), Uint8Array.of(0, 0, 255, 255))")
    before = stage.picture()
    stage.run("map.setColors(new Uint8Array(2000), Uint8Array.of(255, 0, 0, 255))")
    stage.ask(
        "window.loss = document.querySelector('canvas').getContext('webgl2').getExtension('WEBGL_lose_context'); null"
    )
    stage.ask("change('webglcontextlost', () => loss.loseContext())")
    stage.ask("map.setColors(new Uint8Array(2000), Uint8Array.of(0, 0, 255, 255))")
    stage.ask("frames", 2)
    assert (stage.picture() == 255).all()
    stage.run("change('webglcontextrestored', () => loss.restoreContext())")
    assert np.array_equal(before, stage.picture())


@pytest.mark.both_lanes
@pytest.mark.long
def test_dense_points_are_darker_and_unemphasized_ones_fainter(stage, backend: str) -> None:
    stage.begin(np.array([[0, 0], [0, 1], *[[1, 0]] * 6, [1, 1]]), backend)
    stage.run("map.setColors(new Uint8Array(9), Uint8Array.of(0, 0, 0, 255))")
    at = [tuple(np.floor(place).astype(int)[::-1]) for place in stage.places(9)]
    picture = stage.picture()
    assert picture[at[2]].max() < picture[at[0]].max() < 80
    stage.run("map.setEmphasis([0])")
    picture = stage.picture()
    assert picture[at[0]].max() < 80
    assert 150 < picture[at[1]].min() < 255
    stage.run("map.setEmphasis(null)")
    assert stage.picture()[at[1]].max() < 80


def test_labels_follow_the_order_and_do_not_overlap(stage, cloud, backend: str) -> None:
    stage.begin(cloud(5000), backend)
    stage.run("map.setHighlights([4999], ['the last']); map.setLabels((id) => `token ${id}`)")
    labels = stage.ask("map.labels")
    assert [label["text"] for label in labels[:2]] == ["the last", "token 0"]
    assert 10 < len(labels) <= 70
    for index, one in enumerate(labels):
        for other in labels[:index]:
            assert abs(one["y"] - other["y"]) >= 12 or abs(one["left"] - other["left"]) >= 35
    order = list(range(4999, -1, -1))
    stage.run("(order) => { map.setHighlights([]); map.setLabels((id) => `${id}`, Uint32Array.from(order)) }", order)
    assert stage.ask("map.labels")[0]["text"] == "4999"


@pytest.mark.long
def test_only_chosen_ids_and_regions_are_named_from_far(stage, cloud, backend: str) -> None:
    stage.begin(cloud(5000), backend)
    stage.run(
        "map.setLabels((id) => `token ${id}`);"
        " map.setFarLabels(Uint32Array.of(7, 3000), [{ name: 'a region', x: 0, y: 0 }])"
    )
    far = stage.picture()
    assert [label["text"] for label in stage.ask("map.labels")] == ["token 7", "token 3000"]
    stage.run("map.setFarLabels(Uint32Array.of(7, 3000))")
    assert (far != stage.picture()).any()  # the name of the region
    stage.run("map.zoom(2)")
    assert len(stage.ask("map.labels")) > 10


def test_long_labels_are_cut_between_characters(stage, backend: str) -> None:
    stage.begin(np.zeros((1, 2)), backend)
    stage.run("map.setLabels(() => '\\u{1F642}'.repeat(1000))")
    assert stage.ask("map.labels") == [] or stage.ask("map.labels")[0]["text"].endswith("\U0001f642…")


def test_dragging_moves_the_map(stage, cloud, backend: str) -> None:
    stage.begin(cloud(300), backend)
    before = stage.places(300)
    mouse = stage.page.mouse
    mouse.move(200, 150)
    mouse.down()
    mouse.move(230, 110, steps=4)
    mouse.up()
    assert stage.places(300) == pytest.approx(before + np.array([30, -40]), abs=1e-6)
    assert "click" not in dict(stage.ask("heard"))


def test_wheel_zooms_around_the_pointer(stage, cloud, backend: str) -> None:
    stage.begin(cloud(300), backend)
    x, y = stage.places(1)[0]
    scale = stage.ask("map.viewport.scale")
    stage.page.mouse.move(x, y)
    stage.page.locator("canvas").first.focus()
    stage.page.mouse.wheel(0, -300)
    stage.page.wait_for_function("(scale) => map.viewport.scale > scale", arg=scale)
    assert stage.places(1)[0] == pytest.approx([x, y], abs=1)


def test_pinch_zooms_around_the_center_of_the_fingers(stage, cloud, backend: str) -> None:
    stage.begin(cloud(300), backend)
    before = stage.places(300)
    fingers = stage.page.context.new_cdp_session(stage.page)

    def touch(kind: str, *xs: int) -> None:
        points = [{"x": x, "y": 150, "id": finger} for finger, x in enumerate(xs)]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 180, 220)
    for spread in (30, 35, 40):
        touch("touchMove", 200 - spread, 200 + spread)
    touch("touchEnd")
    stage.page.wait_for_function("() => map.follows === false")
    assert stage.places(300) == pytest.approx((before - [200, 150]) * 2 + [200, 150], abs=0.5)


def test_resized_map_still_shows_all_points(stage, cloud, backend: str) -> None:
    stage.begin(cloud(300), backend)
    stage.ask("document.querySelector('div').style.width = '150px'")
    stage.page.wait_for_function("() => document.querySelector('canvas').width === 150")
    stage.ask("map.settled()")
    places = stage.places(300)
    assert places[:, 0].min() == pytest.approx(150 - places[:, 0].max(), abs=1e-3)
    assert 0 < places[:, 0].min() < 15


def test_click_and_hover_report_the_point(stage, cloud, backend: str) -> None:
    stage.begin(cloud(30), backend)
    x, y = stage.places(13)[12]
    stage.page.mouse.click(x, y)
    stage.page.mouse.move(1, 1)
    assert stage.ask("heard") == [["hover", 12], ["click", 12], ["hover", None]]


def test_shift_drag_draws_a_lasso(stage, cloud, backend: str) -> None:
    stage.begin(cloud(300), backend)
    corners = [(100, 60), (300, 60), (300, 240), (100, 240)]
    mouse = stage.page.mouse
    mouse.move(*corners[0])
    stage.page.keyboard.down("Shift")
    mouse.down()
    for corner in corners[1:]:
        mouse.move(*corner)
    mouse.up()
    places = stage.places(300)
    inside = ((places > [100, 60]) & (places < [300, 240])).all(axis=1)
    assert dict(stage.ask("heard"))["lasso"] == np.flatnonzero(inside).tolist()


def test_keys_zoom_pan_fit_and_click(stage, cloud, backend: str) -> None:
    stage.begin(cloud(300), backend)
    start = stage.ask("map.viewport")
    stage.page.keyboard.press("Tab")
    stage.page.keyboard.press("+")
    assert stage.ask("map.viewport.scale") == pytest.approx(1.5 * start["scale"])
    x, _ = stage.places(1)[0]
    stage.page.keyboard.press("ArrowLeft")
    assert stage.places(1)[0][0] == pytest.approx(x + 60)
    stage.page.keyboard.press("0")
    assert stage.ask("map.viewport") == start
    nearest = stage.ask(f"map.pick({WIDTH / 2}, {HEIGHT / 2})")
    stage.page.keyboard.press("Enter")
    assert ["click", nearest] in stage.ask("heard")


def test_map_follows_its_points_until_it_is_moved(stage, cloud, backend: str) -> None:
    stage.begin(cloud(100), backend)
    stage.run("(xy) => map.setPoints(numbers(xy))", packed(cloud(100) * 100))
    assert stage.ask("map.follows")
    assert (stage.places(100) >= 0).all()
    stage.ask("map.viewport = { x: 1, y: 2, scale: 3 }")
    stage.run("(xy) => map.moveTo(numbers(xy), 50)", packed(cloud(100)))
    assert stage.ask("map.viewport") == {"x": 1, "y": 2, "scale": 3}
