# Steps through the text of a line, for the kernel. Every bytes object ends in a zero, and no loop below steps over one.

cdef uint64_t hashed(const char *text, Py_ssize_t length) noexcept:
    cdef uint64_t found = length, word
    while length > 0:
        word = 0
        memcpy(&word, text, min(length, 8))
        found = (found ^ word) * <uint64_t>0x9E3779B97F4A7C15
        found ^= found >> 29
        text += 8
        length -= 8
    return found


cdef const char *blanks(const char *at) noexcept:
    while at[0] == c" " or at[0] == c"\t" or at[0] == c"\n" or at[0] == c"\r":
        at += 1
    return at


cdef const char *after(const char *at, char sign) except NULL:
    """What follows a sign and the blanks before it."""
    at = blanks(at)
    if at[0] != sign:
        raise NotPlain
    return at + 1


cdef const char *after_number(const char *at, int number) except NULL:
    """What follows a number that has to be this one."""
    cdef long found = 0
    at = blanks(at)
    if not c"0" <= at[0] <= c"9" or (at[0] == c"0" and c"0" <= at[1] <= c"9"):
        raise NotPlain
    while c"0" <= at[0] <= c"9" and found <= number:
        found = 10 * found + at[0] - c"0"
        at += 1
    if found != number:
        raise NotPlain
    return at


cdef const char *after_text(const char *at) except NULL:
    """What follows the quotation mark that ends a text."""
    cdef int each
    while at[0] != c'"':
        if <unsigned char>at[0] < 0x20:
            raise NotPlain
        if at[0] == c"\\":
            at += 1
            if at[0] == c"u":
                # Halves of characters begin with d; whether they come in pairs is for the long way to see.
                if at[1] == c"d" or at[1] == c"D":
                    raise NotPlain
                for each in range(4):
                    at += 1
                    if not is_hexadecimal(at[0]):
                        raise NotPlain
            elif not is_escape(at[0]):
                raise NotPlain
        at += 1
    return at + 1


cdef bint is_escape(char sign) noexcept:
    return sign in (c'"', c"\\", c"/", c"b", c"f", c"n", c"r", c"t")


cdef bint is_hexadecimal(char sign) noexcept:
    return c"0" <= sign <= c"9" or c"a" <= sign <= c"f" or c"A" <= sign <= c"F"
