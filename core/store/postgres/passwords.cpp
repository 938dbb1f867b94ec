#include "core/store/postgres/passwords.h"

#include "core/base/mask.h"

#include <cstdlib>
#include <fstream>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace cairn::postgres {

namespace {

std::string home()
{
    const char* said = std::getenv("HOME");
    if (said != nullptr && *said != '\0')
        return said;
    const passwd* user = ::getpwuid(::getuid());
    return user == nullptr ? std::string() : user->pw_dir;
}

// Those that libpq looks at, in its order.
std::vector<std::string> serviceFiles()
{
    const char* own = std::getenv("PGSERVICEFILE");
    const char* folder = std::getenv("PGSYSCONFDIR");
    return {own != nullptr ? std::string(own) : home() + "/.pg_service.conf",
        (folder != nullptr ? std::string(folder) : std::string("/etc/postgresql-common"))
            + "/pg_service.conf"};
}

bool holds(const std::string& file, const std::string& service)
{
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (line.rfind("[" + service + "]", 0) == 0)
            return true;
    return false;
}

}  // namespace

Status refusePasswords(const std::string& url, bool parsed)
{
    if (parsed || maskPassword(url) != url)
        return makeError(ErrorKind::InvalidInput,
            "a password in the store's URL would be seen by everybody who lists processes; put it into "
            "~/.pgpass or into a service file, and leave it out of the URL (an @ in a name is written %40)");
    if (std::getenv("PGPASSWORD") != nullptr)
        return makeError(ErrorKind::InvalidInput,
            "PGPASSWORD is set: every program that is started from here inherits it; put the password into "
            "~/.pgpass (PGPASSFILE names another file) or into a service file, and unset PGPASSWORD");
    return {};
}

Status checkServiceFile(const std::string& service)
{
    for (const std::string& file : serviceFiles()) {
        if (!holds(file, service))
            continue;
        struct stat found { };
        if (::stat(file.c_str(), &found) == 0 && (found.st_mode & (S_IRWXG | S_IRWXO)) != 0)
            return makeError(ErrorKind::InvalidInput,
                "the service file " + file + " holds the password of \"" + service
                    + "\" and can be read by others; chmod 600 " + file);
        return {};
    }
    return {};
}

}  // namespace cairn::postgres
