#include "core/base/session_bus.h"

#include <cstdlib>
#include <string>
#include <sys/stat.h>

namespace cairn {

bool hasSessionBus()
{
    const char* address = std::getenv("DBUS_SESSION_BUS_ADDRESS");
    if (address != nullptr && *address != '\0')
        return true;
    const char* folder = std::getenv("XDG_RUNTIME_DIR");
    struct stat found { };
    return folder != nullptr && *folder != '\0'
        && ::stat((std::string(folder) + "/bus").c_str(), &found) == 0;
}

}  // namespace cairn
