"""The routes of jobs: start a job, follow it with server-sent events, get its frames, cancel it.

| request | response |
|---|---|
| `POST /api/jobs?table=ID`, `{"kind": "tsne", "perplexity": 30}` | a `Reply` of `{"job": 1}` |
| `POST /api/jobs/spare`, `{"kind": "train"}` | an empty `Reply`; a process for the next job of this kind is prepared |
| `GET /api/jobs/1/events` | `progress`, `frame`, and at the end `done` or `failed`; the data as JSON |
| `GET /api/jobs/1/frames/7` | the frame, a `Reply` |
| `DELETE /api/jobs/1` | nothing (204) |

A client that reconnects with `Last-Event-ID` gets only newer events, or status 204 if none will follow.
"""

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from rowspace.errors import UsageError
from rowspace.serve.request import HttpError, read_body
from rowspace_lab.jobs.job import Job
from rowspace_lab.jobs.jobs import Jobs
from rowspace_lab.lab import Lab
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import MEDIA_TYPE, Reply

__all__ = ["job_routes"]

MAX_BODY = 64 << 10  # bytes


def job_routes(jobs: Jobs, lab_of: Callable[[Request], Awaitable[Lab]]) -> list[Route]:
    """Return the routes for these jobs; `lab_of` returns the table of a request."""

    def requested(request: Request) -> Job:
        return jobs.find(_number(request.path_params["number"]))

    def known_kind(query: Query) -> str:
        kind = query.text("kind")
        if kind not in jobs.kinds:
            raise UsageError(f"kind must be one of {', '.join(jobs.kinds)}, not {kind[:40]!r}")
        return kind

    async def start(request: Request) -> Response:
        """Start a job, or find the one with the same parameters."""
        query = _query_from_json(await read_body(request, MAX_BODY))
        job = await jobs.start(await lab_of(request), known_kind(query), query)
        return Response(Reply({"job": job.number}).encode(), media_type=MEDIA_TYPE)

    async def prepare(request: Request) -> Response:
        """Prepare a process for the next job."""
        await jobs.prepare(known_kind(_query_from_json(await read_body(request, MAX_BODY))))
        return Response(Reply().encode(), media_type=MEDIA_TYPE)

    async def events(request: Request) -> Response:
        """Stream the events of a job."""
        job, after = requested(request), _number(request.headers.get("last-event-id", ""))
        if job.is_over and after >= job.serial:
            return Response(status_code=204)
        return StreamingResponse(_lines(job, after), media_type="text/event-stream")

    async def frame(request: Request) -> Response:
        """Return a frame."""
        job, number = requested(request), _number(request.path_params["frame"])
        if number not in job.frames:
            raise HttpError(404, f"job {job.number} has no such frame, or it was deleted; request the newest one")
        return Response(job.frames[number].read_bytes(), media_type=MEDIA_TYPE)

    async def cancel(request: Request) -> Response:
        """Cancel a job."""
        await jobs.cancel(requested(request))
        return Response(status_code=204)

    return [
        Route("/api/jobs", start, methods=["POST"]),
        Route("/api/jobs/spare", prepare, methods=["POST"]),
        Route("/api/jobs/{number}", cancel, methods=["DELETE"]),
        Route("/api/jobs/{number}/events", events),
        Route("/api/jobs/{number}/frames/{frame}", frame),
    ]


def _number(text: str) -> int:
    """Parse the number of a job or frame; return 0, which is never used, for any other text."""
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else 0


def _query_from_json(body: bytes) -> Query:
    """Convert a JSON object of strings, numbers, booleans and lists of these to a `Query`."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise UsageError("the body must be a JSON object with the kind of the job and its parameters")
    return Query({name: _texts(name, value) for name, value in document.items()})


def _texts(name: str, value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(value, str | int | float) for value in values):
        raise UsageError(f"{name[:40]!r} must be a string, a number, true or false, or a list of these")
    texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
    return [text.encode("utf-8", "replace").decode() for text in texts]  # a lone surrogate cannot be encoded in a reply


async def _lines(job: Job, after: int) -> AsyncIterator[str]:
    async for event in job.follow(after):
        yield f"id: {event.serial}\nevent: {event.name}\ndata: {json.dumps(event.data)}\n\n"
