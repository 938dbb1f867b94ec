#include "core/report/showcase_workflows.h"

#include "core/report/showcase_room.h"

namespace cairn::showcase {

namespace {

// No tool is really called: what is played stands in showcase.cpp.
std::string tool(const std::string& name, const std::string& safety, const std::string& more = {})
{
    return "'" + name + "':{'safety':'" + safety
        + "','executor':'http','settings':{'url':'https://tools.acme.test/" + name + "'}" + more + "}";
}

const std::string kModel =
    ",'model':'planner-4','worst_case':[{'tokens':9000},{'amount':'0.20','currency':'EUR'}]";

std::string step(const std::string& name, const std::string& agent, const std::string& toolName,
    const std::string& after, const std::string& more = {})
{
    return "{'name':'" + name + "','agent':'" + agent + "','tool':'" + toolName + "'"
        + (after.empty() ? std::string() : ",'after':[" + after + "]") + more + "}";
}

std::string workflow(const std::string& name, int version, const std::string& agents,
    const std::string& tools, const std::string& steps, const std::string& more = {})
{
    return json("{'schema':'urn:cairn:workflow:1','name':'" + name + "','version':" + std::to_string(version)
        + ",'agents':[" + agents + "],'tools':{" + tools + "},'steps':[" + steps + "]" + more + "}");
}

std::string purchase()
{
    const std::string all = ",'input':{'order':{'$from':'input','at':'/order'}}";
    const std::string money = ",'amount':{'at':'/amount','currency':'EUR'}";
    return workflow("purchase", 3, "'intake','scout','buyer','audit','finance'",
        tool("read", "read_only", kModel) + "," + tool("plan", "read_only", kModel) + ","
            + tool("ask", "read_only", ",'resource':'suppliers','retry':{'attempts':3,'first_delay':'2s'}")
            + "," + tool("collect", "read_only") + "," + tool("rank", "read_only", kModel) + ","
            + tool("check", "read_only", ",'retry':{'attempts':5,'first_delay':'2s'}") + ","
            + tool("negotiate", "read_only", kModel) + ","
            + tool("reserve", "repeatable",
                ",'resource':'ledger.acme.test','contract':2,'retry':{'attempts':5,'first_delay':'6s'}"
                    + money)
            + ","
            + tool("order", "irreversible",
                ",'resource':'orders.acme.test','effect_key':'order:${/order}','look_up':{'url':'https://"
                "orders.acme.test/${key}'}"
                    + money)
            + "," + tool("pay", "irreversible", ",'resource':'card-gateway'" + money) + ","
            + tool("book", "repeatable") + "," + tool("notify", "repeatable"),
        step("read-request", "intake", "read", "", all) + ","
            + step("classify-need", "intake", "read", "'read-request'", all) + ","
            + step("check-budget", "finance", "check", "'classify-need'", all) + ","
            + step("plan-search", "scout", "plan", "'classify-need'", all) + ","
            + step("search-suppliers", "scout", "ask", "'plan-search'",
                ",'for_each':{'from':'plan-search','at':'/suppliers','max_items':20,'allow_failures':true},"
                "'input':{'supplier':{'$from':'item'}}")
            + "," + step("collect-offers", "scout", "collect", "'search-suppliers'", all) + ","
            + "{'name':'watch-price','agent':'scout','kind':'timer','after':['search-suppliers'],'wait':'8h'}"
              ","
            + step("rank-quotes", "scout", "rank", "'collect-offers'", all) + ","
            + step("check-sanctions", "audit", "check", "'rank-quotes'", all) + ","
            + "{'name':'supplier-file','agent':'audit','kind':'run','workflow':'due-diligence','after':['"
              "rank-"
              "quotes'],"
              "'input':{'supplier':'Northfield Seating','order':{'$from':'input','at':'/order'}}},"
            + step("negotiate-price", "buyer", "negotiate", "'rank-quotes'", all) + ","
            + step("draft-order", "buyer", "rank", "'negotiate-price','check-sanctions'", all) + ","
            + "{'name':'quote-validity','agent':'buyer','kind':'timer','after':['draft-order'],'wait':'9h'},"
            + step("reserve-budget", "finance", "reserve", "'draft-order','check-budget'",
                ",'input':{'account':'4410','order':{'$from':'input','at':'/"
                "order'},'amount':{'$from':'input','at':'/"
                "amount'}}")
            + "," + step("review-order", "audit", "check", "'reserve-budget'", all) + ","
            + step("place-order", "buyer", "order", "'review-order'",
                ",'approval':{'role':'finance-lead','expires':'8h'},'input':{'order':{'$from':'input','at':'/"
                "order'},"
                "'payee':'Northfield Seating','amount':{'$from':'input','at':'/amount'},"
                "'iban':'ES91 2100 0418 4502 7730','cost_centre':'4410, Lyon','deliver_by':'2026-12-13'}")
            + ","
            + step("pay-deposit", "finance", "pay", "'place-order'",
                ",'input':{'order':{'$from':'input','at':'/order'},'amount':{'$from':'input','at':'/"
                "amount'}}")
            + "," + step("book-delivery", "buyer", "book", "'place-order'", all) + ","
            + step("notify-requester", "intake", "notify", "'place-order'", all),
        ",'budget':[{'tokens':600000},{'amount':'10.00','currency':'EUR'}],'deadline':'3d',"
        "'limits':{'suppliers':{'slots':6}},'never_store':{'keys':['account']},'hidden':{'keys':['iban']},"
        "'attributes':{'order':{'type':'text','at':'/order'},'amount':{'type':'money','at':'/amount'}},"
        "'retention':{'keep_days':365,'redact_days':90}");
}

std::string intake(int version)
{
    const std::string all =
        ",'input':{'order':{'$from':'input','at':'/order'},'amount':{'$from':'input','at':'/amount'}}";
    return workflow("order-intake", version, "'intake','cashier'",
        tool("price", "read_only", ",'resource':'api.acme.test','retry':{'attempts':5,'first_delay':'5s'}")
            + "," + tool("validate", "read_only", version > 12 ? ",'contract':2" : "") + ","
            + tool("charge", "irreversible",
                ",'resource':'card-gateway','page':'https://cards.acme.test/search?key={key}',"
                "'effect_key':'order:${/order}','look_up':{'url':'https://cards.acme.test/${key}'},'amount':{'at':'/"
                "amount','currency':'EUR'},'retry':{'attempts':3,'first_delay':'10s',"
                "'max_total':'10m'},'undo':{'tool':'refund','input':{'order':{'$from':'input','at':'/"
                "order'}}}")
            + "," + tool("release", "repeatable") + "," + tool("refund", "repeatable"),
        step("lookup-price", "intake", "price", "", all) + ","
            + step("validate", "intake", "validate", "'lookup-price'", all) + ","
            + step("charge-card", "cashier", "charge", "'validate'", all) + ","
            + step("release-order", "cashier", "release", "'charge-card'", all)
            + (version > 12 ? "," + step("send-receipt", "cashier", "release", "'charge-card'", all)
                            : std::string()),
        ",'limits':{'card-gateway':{'slots':14}},'attributes':{'order':{'type':'text','at':'/order'},"
        "'amount':{'type':'money','at':'/amount'}}");
}

}  // namespace

std::vector<std::string> workflows()
{
    const std::string all = ",'input':{'order':{'$from':'input','at':'/order'}}";
    const std::string price =
        tool("price", "read_only", ",'resource':'api.acme.test','retry':{'attempts':5}");
    return {
        workflow("sanction-list", 1, "'audit'", tool("list", "read_only"),
            step("read-list", "audit", "list", "", ",'input':{'supplier':{'$from':'input','at':'/supplier'}}")
                + ","
                  "{'name':'next-edition','agent':'audit','kind':'signal','after':['read-list'],'signal':'"
                  "edition','wait':'2d'}"),
        workflow("due-diligence", 1, "'audit'", tool("file", "read_only"),
            step("open-file", "audit", "file", "", ",'input':{'supplier':{'$from':'input','at':'/supplier'}}")
                + ",{'name':'watch-list','agent':'audit','kind':'run','workflow':'sanction-list','after':['"
                  "open-file'],"
                  "'input':{'supplier':{'$from':'input','at':'/supplier'}}}"),
        purchase(),
        intake(12),
        intake(13),
        workflow("refund", 1, "'cashier'",
            price + "," + tool("refund", "repeatable", ",'resource':'api.acme.test'"),
            step("fetch-order", "cashier", "price", "", all) + ","
                + step("refund", "cashier", "refund", "'fetch-order'", all)),
        workflow("catalogue", 4, "'catalogue'",
            price + "," + tool("import", "read_only", ",'retry':{'attempts':2,'first_delay':'2s'}"),
            step("enrich-item", "catalogue", "price", "", all) + ","
                + step("import", "catalogue", "import", "'enrich-item'", all)),
        workflow("price-one", 2, "'pricing'", price, step("get-price", "pricing", "price", "", all)),
        workflow("price-sync", 2, "'pricing'", tool("list", "read_only"),
            step("list-items", "pricing", "list", "", all)
                + ",{'name':'fan-out','agent':'pricing','kind':'run',"
                  "'workflow':'price-one','after':['list-items'],'input':{'order':{'$from':'input','at':'/"
                  "order'}}}"),
        workflow("rates", 1, "'pricing'",
            tool("rate", "read_only",
                ",'resource':'fx.acme.test','retry':{'attempts':6,'first_delay':'25m','factor':1,'max_delay':"
                "'25m','max_total':'3h'}"),
            step("get-rate", "pricing", "rate", "", all)),
        workflow("approve-purchase", 2, "'buyer'",
            tool("order", "irreversible",
                ",'resource':'orders.acme.test','amount':{'at':'/amount','currency':'EUR'}"),
            step("place-order", "buyer", "order", "",
                ",'approval':{'role':'finance-lead','expires':'8h'},'input':{'order':{'$from':'input','at':'/"
                "order'},"
                "'amount':{'$from':'input','at':'/amount'}}")),
        workflow("ledger-close", 5, "'finance'",
            tool("post", "repeatable",
                ",'resource':'ledger.acme.test','retry':{'attempts':2,'first_delay':'2s'}"),
            step("post-batch", "finance", "post", "", all) + ","
                + step("close-books", "finance", "post", "'post-batch'", all)),
        workflow("checkout", 2, "'cashier'",
            tool("capture", "irreversible",
                ",'resource':'card-gateway','effect_key':'capture:${/order}','amount':{'at':'/"
                "amount','currency':'EUR'}"),
            step("charge-card", "cashier", "capture", "",
                ",'input':{'order':{'$from':'input','at':'/order'},'amount':{'$from':'input','at':'/"
                "amount'}}"),
            ",'limits':{'card-gateway':{'slots':14}}"),
        workflow(
            "invoice", 1, "'reader'", tool("ocr", "read_only"), step("read-scan", "reader", "ocr", "", all)),
        workflow("follow-up", 1, "'service'", tool("mail", "repeatable"),
            "{'name':'wait','agent':'service','kind':'timer','wait':'3d'},"
                + step("write", "service", "mail", "'wait'", all)),
        workflow("parcel", 1, "'service'", tool("mail", "repeatable"),
            "{'name':'delivered','agent':'service','kind':'signal','signal':'delivered','wait':'5d'},"
                + step("ask-rating", "service", "mail", "'delivered'", all)),
    };
}

std::string offers(std::size_t bytes)
{
    static const char* const kSuppliers[] = {"Oakline Interiors", "Veld & Son", "Harbour Office",
        "Northfield Seating", "Cadre Lyon", "Mobilier Sud", "Atelier 9", "Halle 3", "Kontor Nord",
        "Sillas del Ebro"};
    std::string out =
        R"({"request":{"order":"PR-2026-1187","what":"24 task chairs","site":"Lyon"},"suppliers":[)";
    std::size_t number = 1'000;
    for (std::size_t s = 0; s < std::size(kSuppliers); ++s) {
        out += (s > 0 ? "," : "") + ("{\"name\":\"" + std::string(kSuppliers[s]))
            + "\",\"account\":\"ES91 0049 " + std::to_string(7'700 + s) + "\",\"items\":[";
        const std::size_t until = bytes * (s + 1) / std::size(kSuppliers);
        for (bool first = true; out.size() < until; first = false, ++number) {
            const std::string n = std::to_string(number);
            out += (first ? "" : ",") + ("{\"sku\":\"CH-" + n) + "-BK\",\"name\":\"Task chair " + n
                + ", black\",\"price\":\"" + std::to_string(150 + number % 90)
                + ".50\",\"currency\":\"EUR\",\"minimum\":" + std::to_string(6 * (1 + number % 8))
                + ",\"description\":\"Height 42 to 54 cm, mesh back with lumbar support, seat 49 by 47 cm, "
                  "armrests that "
                  "move in three directions. Casters for hard floors; soft casters CH-"
                + n
                + "-SC on request. Load up to 130 kg. Cover: polyester, 100 000 rubs. Each part can be "
                  "ordered for "
                  "fifteen years. Carton 68 by 65 by 36 cm, 16.8 kg; delivered flat, put together in nine "
                  "minutes with "
                  "the tool that comes with it.\",\"stock\":{\"lyon\":"
                + std::to_string(number % 40) + ",\"other\":" + std::to_string(number % 400) + "}}";
        }
        out += "]}";
    }
    return out + "]}";
}

}  // namespace cairn::showcase
