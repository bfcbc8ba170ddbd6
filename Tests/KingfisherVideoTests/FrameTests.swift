import Foundation
import KingfisherImage
import KingfisherTestSupport
import KingfisherVideo
import TestHelpers
import Testing

/// Frames of local files, against frames that the program ffmpeg decodes.
@Suite struct FrameTests {
    @Test("Each codec gives the frame that is shown at a time as ffmpeg does")
    func codecs() async throws {
        for name in ["h264.mp4", "hevc.mp4", "vp8.webm", "vp9.webm", "av1.mp4"] {
            let reference = try Videos.reference(name, 26)
            for seconds in [1.04, 1.079] {
                let psnr = Videos.psnr(try await Videos.frame(name, at: seconds), reference)
                #expect(psnr > 40, "\(name) at \(seconds): \(psnr) dB")
            }
        }
    }

    @Test(
        "The first frame is given for earlier times, and the last one for later times",
        arguments: [
            (0, 0), (-7, 0), (0.001, 0), (1, 25), (1.0399, 25), (1.96, 49), (1.999, 49), (90, 49),
            (1e300, 49),
        ] as [(Double, Int)])
    func times(seconds: Double, number: Int) async throws {
        let frame = try await Videos.frame("h264.mp4", at: seconds)
        #expect(Videos.psnr(frame, try Videos.reference("h264.mp4", number)) > 40)
    }

    @Test(
        "The index may be at the end or in fragments, and timestamps may start late",
        arguments: ["h264-end.mov", "h264-fragments.mp4", "h264-start.mkv"])
    func containers(name: String) async throws {
        for number in [0, 25, 26, 49] {
            let frame = try await Videos.frame(name, at: Double(number) / 25)
            let psnr = Videos.psnr(frame, try Videos.reference("h264.mp4", number))
            #expect(psnr > 40, "frame \(number): \(psnr) dB")
        }
    }

    @Test(
        "At a variable rate, a frame is shown until the next one",
        arguments: [(0.36, 3), (0.6, 3), (0.63, 3), (1.96, 7), (1.95, 6)] as [(Double, Int)])
    func variableRate(seconds: Double, number: Int) async throws {
        let frame = try await Videos.frame("variable.mkv", at: seconds)
        if number != 6 {
            #expect(Videos.psnr(frame, try Videos.reference("variable.mkv", number)) > 40)
        } else {
            #expect(Videos.psnr(frame, try Videos.reference("variable.mkv", 7)) < 40)
        }
    }

    @Test("A keyframe is given if it is enough")
    func keyframes() async throws {
        var generator = Videos.generator(Videos.url("h264.mp4"))
        generator.tolerance = .keyframe
        // The third keyframe is frame 24.
        let keyframe = try await generator.image(at: 1.3).pixels
        let same = try await Videos.frame("h264.mp4", at: 24.0 / 25)
        #expect(Videos.psnr(keyframe, same) == .infinity)
    }

    @Test("Frames are upright, with square pixels, also if a side is odd")
    func shapes() async throws {
        let rotated = try #require(try await Videos.frame("rotated.mp4", at: 0))
        #expect(rotated.size == PixelSize(width: 64, height: 96))
        #expect(Videos.psnr(rotated, try Videos.reference("rotated.mp4", 0)) > 40)
        let odd = try await Videos.frame("odd.webm", at: 0.08)
        #expect(Videos.psnr(odd, try Videos.reference("odd.webm", 2)) > 40)
        #expect(try await Videos.frame("anamorphic.mp4", at: 0)?.size == PixelSize(width: 192, height: 64))
    }

    @Test("A frame is scaled to fit a size")
    func sizes() async throws {
        let sizes: [(CGSize, PixelSize)] = [
            (CGSize(width: 48, height: 48), PixelSize(width: 48, height: 32)),
            (CGSize(width: 0, height: 32), PixelSize(width: 48, height: 32)),
            (CGSize(width: 1_000, height: 1_000), PixelSize(width: 96, height: 64)),
            (CGSize(width: 1, height: 1), PixelSize(width: 1, height: 1)),
            (CGSize(width: -3, height: 0), PixelSize(width: 96, height: 64)),
        ]
        for (limit, expected) in sizes {
            var generator = Videos.generator(Videos.url("hevc.mp4"))
            generator.maximumSize = limit
            #expect(try await generator.image(at: 1).pixels?.size == expected, "\(limit)")
        }
    }

    @Test("HDR is tone-mapped: 203 nits of PQ become 0.52 of linear light")
    func hdr() async throws {
        let frame = try #require(try await Videos.frame("pq.mp4", at: 0))
        #expect(frame.format.depth == .sixteen)
        let samples = try frame.converted(to: .rgba8Opaque).allSamples
        for channel in samples.prefix(3) { #expect(abs(channel - 190) <= 3, "\(samples.prefix(4))") }
    }

    @Test("What has no frame is an error that says why")
    func refusals() async throws {
        func message(_ url: URL) async -> String {
            do {
                _ = try await Videos.generator(url).image(at: 0)
                return ""
            } catch { return error.localizedDescription }
        }
        #expect(await message(Videos.url("audio.mp4")).contains("a file without a video track"))
        #expect(await message(Videos.url("mpeg4.mp4")).contains("video coded as mpeg4"))
        #expect(await message(Fixtures.url(named: "Photos/coffee.jpg")).contains("neither MP4, MOV"))
        #expect(await message(URL(fileURLWithPath: "/nowhere/clip.mp4")).contains("No such file"))
        #expect(await message(URL(fileURLWithPath: "/dev/zero")).contains("not a regular file"))
        for seconds in [Double.nan, .infinity] {
            await #expect(throws: VideoFrameError.invalidTime) {
                try await Videos.generator(Videos.url("h264.mp4")).image(at: seconds)
            }
        }
        var small = Videos.generator(Videos.url("h264.mp4"))
        small.limits.maximumPixels = 96 * 63
        await #expect(throws: ImageCodecError.self) { try await small.image(at: 0) }
        var short = Videos.generator(Videos.url("h264.mp4"))
        short.byteLimit = 20_000
        await #expect { try await short.image(at: 0) } throws: { error in
            if case .tooManyBytes(_, 20_000)? = error as? ImageCodecError { true } else { false }
        }
    }

    @Test(
        "A truncated file gives frames before its end, and an error after it",
        arguments: ["h264.mp4", "hevc.mp4", "vp9.webm", "h264-fragments.mp4"])
    func truncation(name: String) async throws {
        let data = try Fixtures.data(named: "Video/" + name)
        try await Videos.withFolder { folder in
            for part in [0, 4, 11, 100, data.count / 4, data.count / 2, data.count * 3 / 4, data.count - 1] {
                let url = folder.appendingPathComponent("\(part).mp4")
                try data.prefix(part).write(to: url)
                for seconds in [0, 0.5, 1.96] {
                    do {
                        let frame = try await Videos.generator(url).image(at: seconds).pixels
                        #expect(frame?.size == PixelSize(width: 96, height: 64))
                        #expect(part > data.count / 5)
                    } catch let error as ImageCodecError {
                        if case .decoderFailed = error { Issue.record("\(part) at \(seconds): \(error)") }
                    }
                }
            }
            // The beginning of a file with its index at the front has frames.
            guard name != "hevc.mp4" else { return }
            let most = folder.appendingPathComponent("\(data.count * 3 / 4).mp4")
            _ = try await Videos.generator(most).image(at: 0.2)
            await #expect(throws: ImageCodecError.truncated) {
                try await Videos.generator(most).image(at: 1.96)
            }
        }
    }

    @Test("Changed bytes give a frame or an error, and never a failure of the decoder")
    func mutations() async throws {
        var random = SystemRandomNumberGenerator()
        try await Videos.withFolder { folder in
            let url = folder.appendingPathComponent("changed.mp4")
            for name in ["h264.mp4", "hevc.mp4", "vp9.webm", "av1.mp4", "variable.mkv"] {
                let original = try Fixtures.data(named: "Video/" + name)
                for round in 0..<12 {
                    // Most of the structure is in the first kilobytes.
                    let end = round % 2 == 0 ? min(2_000, original.count) : original.count
                    let changes = (0..<8).map { _ in
                        (Int.random(in: 40..<end, using: &random), UInt8.random(in: 0...255, using: &random))
                    }
                    var data = original
                    for (place, value) in changes { data[place] = value }
                    try data.write(to: url)
                    do {
                        _ = try await Videos.generator(url).image(at: 1)
                    } catch let error as ImageCodecError {
                        // A changed number may ask for any amount of memory.
                        guard case .decoderFailed(let failure) = error, failure != .memoryLimit else {
                            continue
                        }
                        Issue.record("\(name) with \(changes): \(failure)")
                    }
                }
            }
        }
    }
}
