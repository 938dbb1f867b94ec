#pragma once
// Lets QCOMPARE print Cairn's types, and says what an unexpected Error was. Include it before the first
// QCOMPARE of such a type. A test that compares words of the vocabulary links cairn_model.

#include "core/base/digest.h"
#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/model/fact.h"

#include <QtTest/QtTest>

#include <string>
#include <string_view>

namespace cairn::testing {

inline char* printed(std::string_view text)
{
    return qstrdup(("\"" + visibleLine(clipped(text, 2000)) + "\"").c_str());
}
template<typename Enum> char* printedWord(Enum value)
{
    return qstrdup((std::string(key(value)) + " (" + std::to_string(static_cast<int>(value)) + ")").c_str());
}
inline std::string errorLine(const Error& error)
{
    return std::string(errorKindName(error.kind)) + " (" + std::to_string(error.native)
        + "): " + visibleLine(error.text);
}

}  // namespace cairn::testing

#define CAIRN_PRINT(type, expression) \
    template<> inline char* QTest::toString<type>(const type& value) { return expression; }
CAIRN_PRINT(std::string, cairn::testing::printed(value))
CAIRN_PRINT(std::string_view, cairn::testing::printed(value))
CAIRN_PRINT(cairn::Error, qstrdup(cairn::testing::errorLine(value).c_str()))
CAIRN_PRINT(cairn::Digest, qstrdup(cairn::hex(value).c_str()))
CAIRN_PRINT(cairn::RunId, qstrdup(cairn::toText(value).c_str()))
CAIRN_PRINT(cairn::CommandId, qstrdup(cairn::toText(value).c_str()))
CAIRN_PRINT(cairn::AttemptId, qstrdup(cairn::toText(value).c_str()))
CAIRN_PRINT(cairn::PayloadId, qstrdup(cairn::toText(value).c_str()))
CAIRN_PRINT(cairn::ApprovalId, qstrdup(cairn::toText(value).c_str()))
CAIRN_PRINT(cairn::SessionId, qstrdup(cairn::toText(value).c_str()))
CAIRN_PRINT(cairn::ArtifactId, qstrdup(cairn::toText(value).c_str()))
CAIRN_PRINT(cairn::PlanId, qstrdup(cairn::toText(value).c_str()))
CAIRN_PRINT(cairn::ErrorKind, qstrdup(cairn::errorKindName(value)))
CAIRN_PRINT(cairn::Activity, cairn::testing::printedWord(value))
CAIRN_PRINT(cairn::Attention, cairn::testing::printedWord(value))
CAIRN_PRINT(cairn::Reason, cairn::testing::printedWord(value))
CAIRN_PRINT(cairn::StepState, cairn::testing::printedWord(value))
CAIRN_PRINT(cairn::StepKind, cairn::testing::printedWord(value))
CAIRN_PRINT(cairn::ReplaySafety, cairn::testing::printedWord(value))
CAIRN_PRINT(cairn::Purpose, cairn::testing::printedWord(value))
CAIRN_PRINT(cairn::AttemptEnd, cairn::testing::printedWord(value))
CAIRN_PRINT(cairn::EffectKnowledge, cairn::testing::printedWord(value))
CAIRN_PRINT(cairn::FailureClass, cairn::testing::printedWord(value))
CAIRN_PRINT(cairn::ApprovalState, cairn::testing::printedWord(value))
CAIRN_PRINT(cairn::ActorKind, cairn::testing::printedWord(value))
CAIRN_PRINT(cairn::Verb, cairn::testing::printedWord(value))
#undef CAIRN_PRINT

// Fails the test with the error's text where a Result has no value. The expression is evaluated once.
#define CAIRN_VERIFY_OK(result) \
    do { \
        auto&& cairnVerified = (result); \
        if (!cairnVerified) \
            QVERIFY2(false, cairn::testing::errorLine(cairnVerified.error()).c_str()); \
    } while (false)

// Fails the test where a Result has a value, or an error of another kind. The expression is evaluated once.
#define CAIRN_VERIFY_ERROR(result, expectedKind) \
    do { \
        auto&& cairnVerified = (result); \
        QVERIFY2(!cairnVerified, "there is a value where an error was expected"); \
        QVERIFY2(cairnVerified.error().kind == (expectedKind), \
            cairn::testing::errorLine(cairnVerified.error()).c_str()); \
    } while (false)
