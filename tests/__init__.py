"""The specification of ``lense``."""

from lense._util.threads import limit_libraries

limit_libraries()  # as every command does first, so that tests do not wait for threads where the machine is busy
