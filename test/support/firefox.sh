#!/bin/sh
# Starts the Firefox named by $FIREFOX_PATH. Playwright asks every Firefox to end as a whole when one tab's process
# crashes, which is what the tests do to tabs, and it leaves no way to take that back but this one. No dump is written.
unset MOZ_CRASHREPORTER_SHUTDOWN
MOZ_CRASHREPORTER_DISABLE=1 exec "$FIREFOX_PATH" "$@"
