#include "core/base/result.h"

namespace cairn {

const char* errorKindName(ErrorKind kind) noexcept
{
    switch (kind) {
    case ErrorKind::Busy: return "busy";
    case ErrorKind::Conflict: return "conflict";
    case ErrorKind::LeaseLost: return "lease_lost";
    case ErrorKind::NotFound: return "not_found";
    case ErrorKind::InvalidInput: return "invalid_input";
    case ErrorKind::SchemaMismatch: return "schema_mismatch";
    case ErrorKind::Corrupt: return "corrupt";
    case ErrorKind::Full: return "full";
    case ErrorKind::Io: return "io";
    case ErrorKind::Disconnected: return "disconnected";
    case ErrorKind::OutcomeUnknown: return "outcome_unknown";
    case ErrorKind::Cancelled: return "cancelled";
    case ErrorKind::Refused: return "refused";
    case ErrorKind::NoRight: return "no_right";
    case ErrorKind::Internal: return "internal";
    }
    return "internal";
}

}  // namespace cairn
