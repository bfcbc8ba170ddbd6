import Foundation
import KingfisherPNM
import TestHelpers
import Testing

/// Headers and rasters of text, written by hand.
@Suite struct TextTests {
    private let codec = PNMCodec()

    private func samples(_ text: String, _ bytes: [UInt8] = []) throws -> [Int] {
        try codec.decode(Data(text.utf8) + bytes, minimumSize: nil).allSamples
    }

    @Test func bitsNeedNoWhiteSpace() throws {
        #expect(try samples("P1\n3 2\n101\n0 1 0") == [0, 255, 0, 255, 0, 255])
    }

    @Test func commentsEndNumbersAndLines() throws {
        #expect(try samples("P2#a\n2#b\n#c 9\n 1 # d\r255#e\n#f\n1#g\n2") == [1, 2])
        // Behind the maximum a comment is the one white space before the raster.
        #expect(try samples("P5 2 1 255#raster\n", [35, 49]) == [35, 49])
    }

    @Test func onlyOneWhiteSpacePrecedesARaster() throws {
        #expect(try samples("P5 2 1 255 ", [10, 32]) == [10, 32])
    }

    @Test func onlyTheFirstImageIsRead() throws {
        #expect(try samples("P5 1 1 255\n", [7] + Array("P5 2 1 255\n".utf8) + [8, 9]) == [7])
    }

    @Test func fieldsOfPAMAreInAnyOrder() throws {
        let head = "P7\n# comment\nDEPTH 4\n\nTUPLTYPE RGB_ALPHA\n MAXVAL 255\nHEIGHT 1\r\nWIDTH\t1\nENDHDR\n"
        #expect(try samples(head, [1, 2, 3, 4]) == [1, 2, 3, 4])
    }

    @Test(arguments: [(1, [9]), (2, [9, 8]), (3, [9, 8, 7, 255]), (4, [9, 8, 7, 6])])
    func aPAMWithoutATypeIsReadByItsDepth(depth: Int, expected: [Int]) throws {
        let head = "P7\nWIDTH 1\nHEIGHT 1\nDEPTH \(depth)\nMAXVAL 255\nENDHDR\n"
        #expect(try samples(head, [9, 8, 7, 6]) == expected)
    }

    @Test func invalidTextIsCorrupt() {
        #expect(codec.refusal("P2 2 1 255 1 x") == .corrupt("no number at byte 13"))
        #expect(codec.refusal("P2 2 1 255 1 256") == .corrupt("a sample above the maximum"))
        #expect(codec.refusal("P1 2 1 02") == .corrupt("no bit at byte 8"))
        #expect(codec.refusal("P2 2 1 0 1 1") == .corrupt("a maximum of 0"))
        #expect(codec.refusal("P2 2 1 65536 1 1") == .corrupt("a maximum of 65536"))
        #expect(codec.refusal("P2 99999999999999999999 1 255 1") == .corrupt("a number that is too large"))
        #expect(codec.refusal("P2 -1 1 255 1") == .corrupt("no PNM signature"))
        #expect(codec.refusal("P2 1 -1 255 1") == .corrupt("no number at byte 5"))
        #expect(codec.refusal("P5 2 1 100 ", [1, 101]) == .corrupt("a sample above the maximum"))
        #expect(codec.refusal("P5 1 1 256 ", [1, 1]) == .corrupt("a sample above the maximum"))
    }

    @Test func invalidPAMsAreRefused() {
        func refusal(_ fields: String) -> ImageCodecError? {
            codec.refusal("P7\nWIDTH 1\nHEIGHT 1\n\(fields)\nENDHDR\n", [1, 1, 1, 1, 1, 1, 1, 1])
        }
        #expect(refusal("DEPTH 3\nMAXVAL 255\nTUPLTYPE RGB") == nil)
        #expect(refusal("DEPTH 4\nMAXVAL 255\nTUPLTYPE RGB") == .corrupt("a PAM of 4 samples a pixel"))
        #expect(refusal("DEPTH 5\nMAXVAL 255") == .corrupt("a PAM of 5 samples a pixel"))
        #expect(refusal("MAXVAL 255") == .corrupt("a PAM of 0 samples a pixel"))
        #expect(refusal("DEPTH 1") == .corrupt("a maximum of 0"))
        #expect(refusal("DEPTH 1\nMAXVAL x") == .corrupt("a PAM field without a number"))
        #expect(refusal("DEPTH 1\nMAXVAL 2\nTUPLTYPE BLACKANDWHITE") == .corrupt("a maximum of 2"))
        #expect(refusal("COLOR 1") == .corrupt("an unknown PAM field"))
        let type = #"a PAM of the type "CMYK""#
        #expect(refusal("DEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK") == .unsupported(type))
        let long = String(repeating: "TUPLTYPE A\n", count: 40)
        #expect(refusal("DEPTH 1\nMAXVAL 1\n\(long)") == .unsupported("a PAM of an unknown type"))
    }
}
