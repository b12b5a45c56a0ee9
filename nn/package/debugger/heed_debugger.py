"""Shows heed's values in gdb and lldb.

    gdb:   source heed_debugger.py                      lldb:   command script import heed_debugger.py

    heed::Tensor      f32 [2, 3] {0, 1, 2, 3, 4, 5}
    heed::Variable    f32 [3] {1, 1, 1}, leaf, grad f32 [3] {2, 2, 2}
    heed::Shape       [2, 3]

A value that is not initialised yet, or that no longer exists, is shown as such. Nothing of the program is called.
"""

import struct

SHOWN = 8  # numbers of a tensor
TYPES = (("f32", "f", 4), ("f64", "d", 8), ("i64", "q", 8), ("bool", "?", 1))
GONE = "not initialised or freed"


def text_of_sizes(sizes):
    return "[" + ", ".join(map(str, sizes)) + "]"


# What follows reads values through one of two debuggers, each a class of the same functions:
#   field(v, name), item(v, i)   a member, an element of an array
#   pointee(v)                   what the pointer v points to
#   number(v), address(v)        the value of an integer or a pointer; where v is
#   size(v)                      of its type, in bytes
#   read(address, count)         bytes of memory; raises where there is none
#   text(v)                      of a const char*
#   leaf(v)                      the Node that v points to, as a LeafNode

def sizes_of(d, dims):
    rank = d.number(d.field(dims, "rank_"))
    if not 0 <= rank <= 8:
        raise ValueError(GONE)
    return [d.number(d.item(d.field(dims, "d_"), i)) for i in range(rank)]


def text_of_dims(d, dims):
    return text_of_sizes(sizes_of(d, dims))


def text_of_tensor(d, tensor):
    pointer = d.field(d.field(tensor, "storage_"), "p_")
    if d.number(pointer) == 0:
        return "undefined"
    storage = d.pointee(pointer)
    start = d.number(pointer)
    # Storage begins with its number of owners. A block that was freed begins with something else.
    owners = struct.unpack("=I", d.read(start, 4))[0]
    kind = d.number(d.field(tensor, "dtype_"))
    if not 0 < owners < 1 << 20 or not 0 <= kind < len(TYPES):
        raise ValueError(GONE)
    name, code, width = TYPES[kind]
    sizes, strides = [], []
    layout = d.field(d.field(tensor, "layout_"), "p_")
    if d.number(layout) != 0:
        sizes = sizes_of(d, d.field(d.pointee(layout), "shape"))
        strides = sizes_of(d, d.field(d.pointee(layout), "strides"))
    count = 1
    for size in sizes:
        count *= size
    offset = d.number(d.field(tensor, "offset_"))
    last = offset + sum((n - 1) * step for n, step in zip(sizes, strides))
    if len(sizes) != len(strides) or min(sizes + strides + [offset]) < 0:
        raise ValueError(GONE)
    if count > 0 and (last + 1) * width > d.number(d.field(storage, "bytes")):
        raise ValueError(GONE)
    numbers = []
    for i in range(min(count, SHOWN)):  # the elements in row-major order, whatever the strides
        at = offset
        for n, step in zip(reversed(sizes), reversed(strides)):
            i, index = divmod(i, n)
            at += index * step
        (x,) = struct.unpack("=" + code, d.read(start + d.size(storage) + at * width, width))
        numbers.append(str(x).lower() if name == "bool" else str(x) if name == "i64" else "%.6g" % x)
    if count > SHOWN:
        numbers.append("..")
    return "%s %s {%s}" % (name, text_of_sizes(sizes), ", ".join(numbers))


def text_of_variable(d, variable):
    pointer = d.field(d.field(variable, "impl_"), "p_")
    if d.number(pointer) == 0:
        return "undefined"
    impl = d.pointee(pointer)
    value = text_of_tensor(d, d.field(impl, "value"))
    node = d.field(d.field(impl, "node"), "p_")
    if d.number(node) == 0:
        return value  # a constant
    try:
        if d.number(d.field(d.pointee(node), "depth")) > 0:
            return value + ", from " + d.text(d.field(d.pointee(node), "name"))
        grad = text_of_tensor(d, d.field(d.leaf(node), "grad"))
        return value + ", leaf, " + ("no grad" if grad == "undefined" else "grad " + grad)
    except Exception:  # the program does not know the type Node, or the graph is gone
        return value + ", requires grad"


KINDS = {"heed::Tensor": text_of_tensor, "heed::Variable": text_of_variable, "heed::Dims": text_of_dims}


def shown(debugger, kind, value):
    try:
        return KINDS[kind](debugger, value)
    except Exception as e:  # memory that cannot be read, values that the compiler has removed
        return str(e) if "optimized out" in str(e) else GONE


class Gdb:
    field = staticmethod(lambda v, name: v[name])
    item = staticmethod(lambda v, i: v[i])
    # Not v.dereference(), which asks for the type of the whole object and warns where a Node was made without -g.
    pointee = staticmethod(lambda v: gdb.Value(Gdb.read(int(v), v.type.target().sizeof), v.type.target()))
    number = staticmethod(int)
    size = staticmethod(lambda v: v.type.sizeof)
    read = staticmethod(lambda at, count: bytes(gdb.selected_inferior().read_memory(at, count)))
    text = staticmethod(lambda v: v.string())
    leaf = staticmethod(lambda v: Gdb.pointee(v.cast(gdb.lookup_type("heed::LeafNode").pointer())))


class Lldb:
    @staticmethod
    def field(v, name):
        found = v.GetChildMemberWithName(name)
        if not found.IsValid():
            raise ValueError("no member " + name)
        return found

    item = staticmethod(lambda v, i: v.GetChildAtIndex(i))
    pointee = staticmethod(lambda v: v.Dereference())
    size = staticmethod(lambda v: v.GetType().GetByteSize())

    @staticmethod
    def number(v):
        error = lldb.SBError()
        value = v.GetValueAsSigned(error, 0)
        if error.Fail():
            raise ValueError(error.GetCString() or GONE)
        return value

    def __init__(self, value):
        self.process = value.GetProcess()
        self.target = value.GetTarget()

    def read(self, at, count):
        error = lldb.SBError()
        found = self.process.ReadMemory(at, count, error)
        if error.Fail() or len(found) != count:
            raise ValueError(GONE)
        return found

    def text(self, v):
        return self.process.ReadCStringFromMemory(v.GetValueAsUnsigned(), 256, lldb.SBError())

    def leaf(self, v):
        return v.Dereference().Cast(self.target.FindFirstType("heed::LeafNode"))


try:
    import gdb
    import gdb.printing
except ImportError:
    gdb = None
if gdb:

    def printer_of(kind):
        class Printer:
            def __init__(self, value):
                self.value = value

            def to_string(self):
                return shown(Gdb, kind, self.value)

        return Printer

    printers = gdb.printing.RegexpCollectionPrettyPrinter("heed")
    for each in KINDS:
        printers.add_printer(each, "^%s$" % each, printer_of(each))
    gdb.printing.register_pretty_printer(gdb.current_objfile(), printers, replace=True)
else:
    import lldb

    def lldb_summary(value, _):
        value = value.GetNonSyntheticValue()
        kind = value.GetType().GetCanonicalType().GetDereferencedType() if value.GetType().IsReferenceType() else value.GetType()
        return shown(Lldb(value), kind.GetCanonicalType().GetUnqualifiedType().GetName(), value)

    def __lldb_init_module(debugger, _):
        for each in KINDS:
            debugger.HandleCommand("type summary add -F %s.lldb_summary %s" % (__name__, each))
