#pragma once
// Who signs requests. As other programs for S3 do it: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (with
// AWS_SESSION_TOKEN) in the environment, else the profile AWS_PROFILE ("default") of the file
// AWS_SHARED_CREDENTIALS_FILE (~/.aws/credentials), which nobody else may read. Reads a file; thread-safe as
// getenv is.

#include "core/base/result.h"

#include <string>

namespace cairn::s3 {

struct Credentials {
    std::string id;
    std::string secret;
    std::string token;  // empty: none
    std::string from;   // where they were found, for messages
    friend bool operator==(const Credentials&, const Credentials&) = default;
};

// NoRight says what is missing, and where it was looked for. No message holds a secret.
[[nodiscard]] Result<Credentials> findCredentials();

}  // namespace cairn::s3
