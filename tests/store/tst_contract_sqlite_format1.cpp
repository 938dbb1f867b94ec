// The contract of tst_contract_sqlite in a program that knows the first format only (format1.cpp).
#include "tests/store/tst_contract_sqlite.cpp"
