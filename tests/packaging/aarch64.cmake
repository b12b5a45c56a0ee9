# A cross-build for 64-bit Arm on Debian or Ubuntu; the tests run in qemu. Once, as root:
#   dpkg --add-architecture arm64 && apt-get update
#   apt-get install g++-aarch64-linux-gnu qemu-user libfmt-dev:arm64 libutf8proc-dev:arm64 libpcre2-dev:arm64
# Then cmake --preset aarch64. (Ubuntu serves arm64 from ports.ubuntu.com; its apt needs that source.)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
find_program(HEED_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(HEED_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${HEED_QEMU})
  if(NOT EXISTS /lib/ld-linux-aarch64.so.1)
    list(APPEND CMAKE_CROSSCOMPILING_EMULATOR -L /usr/aarch64-linux-gnu)
  endif()
endif()
