import Testing

@testable import KingfisherService

struct ImgproxyRefusalTests {
    private func refusal(_ path: String) -> ServiceError? {
        Fixture.error { () throws(ServiceError) in try Fixture.imgproxy(path) }
    }

    @Test(arguments: [
        "rs:auto:300:200", "rt:auto", "g:no:10:0", "g:ce:0:0.5", "gravity:nowe:1:1", "g:sm", "g:obj:face",
        "g:objw:face:2", "ex:1:no:5", "ex:1:fp:0.5:0.5", "ex:1:sm", "c:0.5:0.5", "c:0:100", "crop:100:0",
        "c:10.5:10", "c:10:10:no:5:5", "c:10:10:nowe:0.5:0", "c:10:10:nowe:-1:0", "c:10:10:sm", "t:10:ff0000",
        "trim:10::1", "t:10::0:1", "rot:45", "bl:1", "blur:0.1", "wm:1:re", "wm:1:ch", "wm:1:ce:10",
        "watermark:1:ce:0:5", "wm:1:ce:0:0:0.2", "sm:1/scp:0", "ar:0", "auto_rotate:0", "ph:1",
        "preserve_hdr:1", "eth:1", "strip_color_profile:0", "f:best", "f:ico", "format:bmp", "fq:tiff:80",
        "mw:100", "mh:100", "min-width:100", "min-height:100", "exar:1", "extend_ar:1",
        "extend_aspect_ratio:1", "skp:jpg", "raw:1", "msr:10", "max_src_resolution:10", "msfs:10", "maf:10",
        "mafr:10", "mrd:100", "max_result_dimension:100", "ra:cubic", "mc:1", "dt:1", "col:1", "gr:1",
        "ush:1", "wmu:abc", "wmt:abc", "wms:1:1", "wmsh:1", "wmr:90", "st:abc", "dpi:72", "icc:srgb",
        "aq:size:100", "jpgo:1", "pngo:1", "webpo:1", "avifo:1", "pg:1", "pgs:1", "vts:1", "vtk:1", "vtt:1",
        "vta:1", "fiu:abc", "hs:sha1:abc", "bga:0.5", "ba:1", "bd:1", "dd:1", "op:top", "car:1.5", "nosuch:1",
    ])
    func `What has no equivalent is 400 with the name of the option`(_ options: String) throws {
        let error = try #require(refusal("s:300:200/\(options)/\(Fixture.source)"))
        #expect(error.status == 400)
        #expect(error.message.contains(" is not supported: "))
        let last = try #require(options.split(separator: "/").last)
        #expect(error.message.hasPrefix(last.prefix { $0 != ":" }))
    }

    @Test(arguments: [
        ("c:10:10:fp:0.3:0.5", "crop"), ("c:10:10/g:fp:0.3:0.5", "crop"),
        ("c:10:10:nowe:5:5/rot:90", "crop"), ("c:10:10:nowe:5:5/fl:1", "crop"), ("z:2", "zoom"),
        ("dpr:0.5", "dpr"), ("dpr:2/el:1", "dpr"), ("w:100/z:2:3", "zoom"), ("rs:force:300:0", "force"),
        ("rs:force:0:300", "force"), ("wm:1", "watermark"),
    ])
    func `A combination without an equivalent is 400`(_ options: String, _ name: String) throws {
        let error = try #require(refusal("\(options)/\(Fixture.source)"))
        #expect(error.status == 400)
        #expect(error.message.contains(" is not supported: "))
        #expect(error.message.contains(name))
    }

    @Test(arguments: [
        "w:", "w:-1", "w:1.5", "w:abc", "w:1e3", "w:0x10", "w:99999999999999999999", "w:1:2", "h:NaN", "el:",
        "el:2", "el:yes", "rs:cover:1:1", "rs:fit:a:1", "rs:fit:1:1:0:0:ce:0:0:0", "rt:", "g:", "g:up",
        "g:fp",
        "g:fp:0.5", "g:fp:2:0", "g:fp:-0.1:0", "g:fp:nan:0", "g:no:a", "dpr:0", "dpr:-1", "dpr:inf",
        "dpr:1e1",
        "dpr:1001", "z:0", "z:1:0", "c:10", "c:a:b", "c:-1:5", "c:1:1:ce:0:0:0", "t:", "t:-1", "t:256",
        "t:1e1",
        "rot:-90", "rot:a", "fl:", "fl:2", "pd:-1", "pd:1:2:3:4:5", "pd:1.5", "bg:ggg", "bg:ffff",
        "bg:256:0:0",
        "bg:1:2", "bg:-1:0:0", "bl:-1", "bl:nan", "bl:1e9", "sh:a", "pix:-1", "pix:1.5", "wm:", "wm:2",
        "wm:1:up", "wm:1:ce:a", "q:101", "q:-1", "q:", "fq:", "fq:jpeg", "fq:jpeg:101", "fq:foo:10", "mb:-1",
        "mb:a", "f:", "f:foo", "exp:", "exp:-1", "exp:1e9", "fn:%zz", "fn:%0D%0A", "fn:a:2", "fn:!!:1",
        "fn:DQo:1", "fn:_w:1", "att:", "att:5", "ct:", "ct:a%2Cb", "ct:a::b", "da:", "sm:", "kcr:x", "scp:",
        "br:256", "br:0.5", "co:-1", "sa:11", "a:300", "cb:a:b",
    ])
    func `An invalid argument is 400 with the name of the option`(_ option: String) throws {
        let error = try #require(refusal("\(option)/\(Fixture.source)"))
        #expect(error.status == 400)
        #expect(error.message.hasPrefix("\(option.prefix { $0 != ":" }) is invalid: "))
    }

    @Test(arguments: [
        "w:8193", "h:8193", "rs:force:8000:8000", "s:5000:100/dpr:2", "s:8000:8000", "rs:fill:8000:8000",
        "w:1000000/z:1000/dpr:1000", "pd:32769", "sh:11", "sh:0.1", "bl:1001", "pix:32769", "c:40000:1",
    ])
    func `A size or number above the limits is 400`(_ options: String) {
        #expect(refusal("\(options)/\(Fixture.source)")?.status == 400)
    }

    @Test(arguments: [
        ("any/enc/abc", "enc"), ("any/w:100/enc/abc", "enc"), ("any/w:100/-/h:100/plain/x", "-"),
        ("info/any/plain/https://e.com/a.jpg", "info"), ("any/plain/https://e.com/a.jpg@ico", "format ico"),
    ])
    func `A part of the path without an equivalent is 400`(_ path: String, _ name: String) {
        let error = Fixture.error { () throws(ServiceError) in
            try ImgproxyReader(Fixture.settings()).request(path[...], now: 0)
        }
        #expect(error?.status == 400)
        #expect(error?.message.hasPrefix("\(name) is not supported: ") == true)
    }

    @Test(arguments: [
        "", "w:100", "w:100/h:100", "plain", "plain/", "w:100/plain", "plain/@png", "plain/a@b@c", "/", "//",
        "plain/%", "plain/%zz", "plain/https://e.com/%ff", "plain/%00", "plain/%C0%AFx", "abc.d.e", ".png",
        "!!!!", "aHR0c", "/plain/https://e.com/a.jpg", "w:100//plain/https://e.com/a.jpg", "AAAA", "_w",
        "====",
    ])
    func `A malformed path is 404`(_ path: String) {
        #expect(refusal(path)?.status == 404)
    }

    @Test(arguments: [
        ("w:100", "The URL has no source."), ("w:100/plain/@png", "The URL has no source."),
        ("plain/a@b@c", "The source has more than one '@'."),
        ("abc.d.e", "The source has more than one '.'."),
        ("plain/%zz", "The source after plain/ is not percent-encoded text."),
        ("resize/plain/a/b", "The source is neither plain/URL nor a URL in Base64."),
    ])
    func `The text of a malformed path says what is wrong`(_ path: String, _ text: String) {
        #expect(refusal(path)?.message == text)
    }

    @Test func `Without imgproxy in the settings every path is 404`() {
        let settings = Fixture.settings { $0.imgproxy = nil }
        let error = Fixture.error { () throws(ServiceError) in
            try Fixture.imgproxy(Fixture.source, settings)
        }
        #expect(error?.status == 404)
    }

    @Test func `A name belongs to one option`() {
        let names = ImgproxyOption.all.flatMap(\.names)
        #expect(Set(names).count == names.count)
    }
}
