import Testing

@testable import Buckets

@Suite("Signatures of requests")
struct BucketSignerTests {
    /// Example "GET Bucket (List Objects)" of Amazon's documentation.
    @Test func areThoseOfAmazonsExample() throws {
        let signer = BucketSigner(
            region: "us-east-1", keyID: "AKIAIOSFODNN7EXAMPLE",
            key: Array("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".utf8))
        let headers = try signer.headers(
            "GET", "examplebucket.s3.amazonaws.com", "/?max-keys=2&prefix=J", BucketSigner.digest([]),
            at: 1_369_353_600)
        #expect(headers.map(\.0) == ["x-amz-date", "x-amz-content-sha256", "Authorization"])
        #expect(headers[0].1 == "20130524T000000Z")
        #expect(headers[1].1 == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            headers[2].1 == """
                AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, \
                SignedHeaders=host;x-amz-content-sha256;x-amz-date, \
                Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7
                """)
    }
}

@Suite("The list of objects in a bucket")
struct BucketPageTests {
    private static func page(_ text: String) throws -> BucketPage {
        try BucketPage(
            Array("<?xml version=\"1.0\"?><ListBucketResult xmlns=\"x\">\(text)</ListBucketResult>".utf8), without: "p/"
        )
    }

    @Test func hasNamesSizesAndTimes() throws {
        let page = try Self.page(
            """
            <Name>b</Name><IsTruncated>true</IsTruncated><NextContinuationToken>a&amp;b=&lt;</NextContinuationToken>
            <Contents><Key>p/files/a.jpg</Key><LastModified>2024-02-29T23:59:59.000Z</LastModified><Size>12</Size></Contents>
            <Contents><Size>0</Size><Key>p/files/b.jpg</Key><LastModified>1970-01-01T00:00:00Z</LastModified></Contents>
            <Contents><Key>other/c.jpg</Key><LastModified>1970-01-01T00:00:00Z</LastModified><Size>1</Size></Contents>
            """)
        #expect(
            page.objects == [
                Bucket.Object(name: "files/a.jpg", byteCount: 12, modified: 1_709_251_199),
                Bucket.Object(name: "files/b.jpg", byteCount: 0, modified: 0),
            ])
        #expect(page.next == "a&b=<")
    }

    @Test func endsWithTheLastPage() throws {
        #expect(
            try Self.page("<IsTruncated>false</IsTruncated><NextContinuationToken>x</NextContinuationToken>").next
                == nil)
    }

    @Test(arguments: [
        "<Contents><Key>p/a</Key></Contents>",
        "<Contents><Key>p/a</Key><LastModified>yesterday</LastModified><Size>1</Size></Contents>",
        "<Contents><Key>p/a</Key><LastModified>2024-13-01T00:00:00Z</LastModified><Size>1</Size></Contents>",
        "<Contents><Key>p/a</Key><LastModified>2024-01-01T00:00:00Z</LastModified><Size>-1</Size></Contents>",
    ])
    func thatCannotBeReadIsRefused(_ text: String) {
        #expect(throws: BucketFault.self) { try Self.page(text) }
    }

    @Test(arguments: ["", "<html></html>", "<Error><Code>AccessDenied</Code></Error>"])
    func isNoOtherDocument(_ text: String) {
        #expect(throws: BucketFault.self) { try BucketPage(Array(text.utf8), without: "") }
    }
}

@Suite("The address of a bucket")
struct BucketPlaceTests {
    @Test(arguments: [
        "https://s3.example/files", "https://s3.example:9000/files/rooms/a/", "http://127.0.0.1:9000/files",
    ])
    func namesOne(_ url: String) {
        #expect(Bucket.Place(url) != nil)
    }

    @Test(arguments: [
        "https://s3.example", "https://s3.example/", "http://s3.example/files", "https://s3.example/files?x=1",
        "https://s3.example/a%2fb", "https://s3.example/files/..", "https://s3.example/fi les", "s3://files",
    ])
    func namesNone(_ url: String) {
        #expect(Bucket.Place(url) == nil)
    }
}
