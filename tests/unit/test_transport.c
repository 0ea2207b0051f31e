/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include "mail/transport.h"

static const cat_letter_t letter = {"m1", "shop@example.org", "ada@example.org", "Subject: x\r\n\r\nHello\r\n"};

static void test_scheme_decides(void **state)
{
    assert_string_equal(cat_transport_directory("file:/var/spool"), "/var/spool");
    assert_null(cat_transport_directory("smtp://localhost"));
    assert_ptr_equal(cat_transport_find("smtp://localhost"), cat_transport_find("smtps://localhost"));
    assert_ptr_not_equal(cat_transport_find("smtp://localhost"), cat_transport_find("file:/var/spool"));
    unit_says(cat_transport_find("gopher://localhost")->check(*state, "gopher://localhost"), "must begin with");
}

static void test_directory_must_exist(void **state)
{
    const cat_transport_t *transport = cat_transport_find("file:");
    const char *directory = unit_directory(*state), *file = unit_write(*state, directory, "a", 0600, "", 0);

    assert_null(transport->check(*state, apr_pstrcat(*state, "file:", directory, NULL)));
    unit_says(transport->check(*state, "file:"), "requires a directory");
    unit_says(transport->check(*state, "file:/nowhere/at/all"), "there is no directory /nowhere/at/all");
    unit_says(transport->check(*state, apr_pstrcat(*state, "file:", file, NULL)), "there is no directory");
}

static void test_message_becomes_a_file(void **state)
{
    const char *directory = unit_directory(*state), *detail = "";
    const cat_relay_t relay = {.url = apr_pstrcat(*state, "file:", directory, NULL)};
    char text[100];
    int fd;

    assert_int_equal(cat_transport_find(relay.url)->send(*state, &relay, &letter, &detail), CAT_DELIVERY_SENT);
    fd = open(apr_pstrcat(*state, directory, "/m1.eml", NULL), O_RDONLY);
    assert_int_equal(read(fd, text, sizeof(text)), strlen(letter.text));
    assert_memory_equal(text, letter.text, strlen(letter.text));
    close(fd);
    assert_int_not_equal(access(apr_pstrcat(*state, directory, "/m1.eml.part", NULL), F_OK), 0);
}

static void test_directory_that_is_gone_is_a_fault_of_the_configuration(void **state)
{
    const cat_relay_t relay = {.url = "file:/nowhere/at/all"};
    const char *detail = "";

    assert_int_equal(cat_transport_find(relay.url)->send(*state, &relay, &letter, &detail), CAT_DELIVERY_SETUP);
    unit_says(detail, "/nowhere/at/all/m1.eml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_scheme_decides),
        UNIT_TEST(test_directory_must_exist),
        UNIT_TEST(test_message_becomes_a_file),
        UNIT_TEST(test_directory_that_is_gone_is_a_fault_of_the_configuration),
    };
    return UNIT_RUN(tests);
}
