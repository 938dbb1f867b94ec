#pragma once
// Whether this process belongs to a desktop's session, by which its keychain is reached. Any thread.

namespace cairn {

// From the environment alone; connects to nothing. Where there is no session bus nobody keeps secrets, and
// libraries of the desktop would try to start one.
[[nodiscard]] bool hasSessionBus();

}  // namespace cairn
