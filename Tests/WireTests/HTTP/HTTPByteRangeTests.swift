import Testing
import Wire

struct HTTPByteRangeTests {
    @Test(arguments: [
        ("bytes=0-0", 0..<1), ("bytes=0-99", 0..<100), ("bytes=10-", 10..<100), ("bytes=-10", 90..<100),
        ("bytes=-1000", 0..<100), ("bytes=99-", 99..<100), ("bytes=50-1000", 50..<100),
        ("Bytes = 1-2 , 3-4", 1..<5), ("bytes=3-9,0-4", 0..<10), ("bytes=0-9,200-300", 0..<10),
        ("bytes=5-9223372036854775807", 5..<100),
    ])
    func `a part is cut to what is there`(header: String, range: Range<Int>) {
        #expect(HTTPByteRange(header: header, size: 100) == .part(range))
    }

    @Test(arguments: [
        nil, "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=2-1", "bytes=1", "bytes=+1-2", "lines=1-2",
        "bytes=1-2,x", "bytes=0-1,50-51", "bytes=--1", "bytes=1-2-3", "bytes=99999999999999999999-",
        "bytes=0-0,2-2,4-4,6-6,8-8,10-10,12-12,14-14,16-16",
    ])
    func `what is not understood, or lies apart, is answered whole`(header: String?) {
        #expect(HTTPByteRange(header: header, size: 100) == .whole)
    }

    @Test(arguments: ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=1000-,2000-"])
    func `what lies behind the end cannot be had`(header: String) {
        #expect(HTTPByteRange(header: header, size: 100) == .unsatisfiable)
    }

    @Test func `nothing has no parts`() {
        #expect(HTTPByteRange(header: "bytes=0-", size: 0) == .unsatisfiable)
        #expect(HTTPByteRange(header: "bytes=-5", size: 0) == .unsatisfiable)
        #expect(HTTPByteRange(header: nil, size: 0) == .whole)
    }
}
