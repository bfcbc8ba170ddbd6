import Testing

@testable import KingfisherService

struct ContentDispositionTests {
    @Test(
        arguments: [
            ("p q.jpg", "filename=\"p q.jpg\""), ("a;b=c,d.jpg", "filename=\"a;b=c,d.jpg\""),
            ("it's (1).jpg", "filename=\"it's (1).jpg\""),
            ("é.jpg", "filename=\"_.jpg\"; filename*=UTF-8''%C3%A9.jpg"),
            ("e\u{301}.jpg", "filename=\"_.jpg\"; filename*=UTF-8''e%CC%81.jpg"),
            ("中文 1.png", "filename=\"__ 1.png\"; filename*=UTF-8''%E4%B8%AD%E6%96%87%201.png"),
            ("😀.gif", "filename=\"_.gif\"; filename*=UTF-8''%F0%9F%98%80.gif"),
            ("a\"b.jpg", "filename=\"a_b.jpg\"; filename*=UTF-8''a%22b.jpg"),
            ("100%.jpg", "filename=\"100_.jpg\"; filename*=UTF-8''100%25.jpg"),
            ("a%41.jpg", "filename=\"a_41.jpg\"; filename*=UTF-8''a%2541.jpg"),
            ("é!#$&+-.^_`|~", "filename=\"_!#$&+-.^_`|~\"; filename*=UTF-8''%C3%A9!#$&+-.^_`|~"),
            ("é'()*", "filename=\"_'()*\"; filename*=UTF-8''%C3%A9%27%28%29%2A"),
            ("../../etc/passwd", "filename=\".._.._etc_passwd\""), ("a\\b.jpg", "filename=\"a_b.jpg\""),
            ("a\r\nSet-Cookie: x=1", "filename=\"a__Set-Cookie: x=1\""),
            ("a\0\t\u{7F}b", "filename=\"a___b\""),
            ("a\u{85}\u{2028}\u{2029}b", "filename=\"a___b\""), ("gpj.\u{202E}exe", "filename=\"gpj._exe\""),
            ("\u{FEFF}a\u{200B}b", "filename=\"_a_b\""),
        ])
    func `A name is quoted, and encoded if it is not plain ASCII`(_ name: String, _ expected: String) {
        #expect(ContentDisposition(filename: name, isAttachment: true).value == "attachment; " + expected)
        #expect(ContentDisposition(filename: name, isAttachment: false).value == "inline; " + expected)
    }

    @Test func `Without a name there is a field for attachments only`() {
        for name in [nil, ""] {
            #expect(ContentDisposition(filename: name, isAttachment: true).value == "attachment")
            #expect(ContentDisposition(filename: name, isAttachment: false).value == nil)
        }
    }

    @Test func `A name has at most 255 bytes and no part of a character`() {
        let ascii = ContentDisposition(filename: String(repeating: "a", count: 9_000), isAttachment: false)
        #expect(ascii.value == "inline; filename=\"\(String(repeating: "a", count: 255))\"")
        let wide = ContentDisposition(filename: String(repeating: "é", count: 9_000), isAttachment: false)
        #expect(wide.value?.hasSuffix("UTF-8''" + String(repeating: "%C3%A9", count: 127)) == true)
    }

    @Test func `No character of ASCII leaves the field`() {
        for byte in UInt8.min...127 {
            let name = "a" + String(UnicodeScalar(byte)) + "b"
            let value = ContentDisposition(filename: name, isAttachment: true).value ?? ""
            #expect(HeaderText.isValue(value) && value.split(separator: "\"").count <= 3, "\(byte)")
        }
    }
}
