// The contract as a program that knows the first format and schema only.
#include "tests/store/tst_contract_postgres.cpp"
