import Foundation

/// A tiny file of each format, most of them in Base64. Made with Pillow 13, avifenc, cjxl and heif-enc from a
/// gradient of 4x4 to 64x64 pixels.
enum Samples {
    static let jpeg = decoded(
        """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdB
        RkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P
        T09PT09PT09PT09PT0//wAARCAAEAAQDASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAA
        AgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6
        Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXG
        x8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREA
        AgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5
        OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPE
        xcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwCSw0Wx+yr+6ooorOdSfM9Wb4arP2Mfee3c
        /9k=
        """)

    static let png = decoded(
        """
        iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAGElEQVR4nGNkYGiwYWCAIBYGGwY4wM0BAEqkAfYnNZPCAAAA
        AElFTkSuQmCC
        """)

    static let apng = decoded(
        """
        iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAACGFjVEwAAAACAAAAAPONk3AAAAAaZmNUTAAAAAAAAAAEAAAA
        BAAAAAAAAAAAAAEACgAAV3ID4QAAABhJREFUeJxjZGBosGFggCAWBhsGOMDNAQBKpAH2JzWTwgAAABpmY1RMAAAAAQAAAAQA
        AAAEAAAAAAAAAAAAAQAKAADMAek1AAAAHGZkQVQAAAACeJxj3MLQcISBAYJYGGwY4AA3BwC2OARCazM+MwAAAABJRU5ErkJg
        gg==
        """)

    static let gif = decoded(
        """
        R0lGODdhBAAEAIMAALS0gHi0gLR4gHh4gDy0gDx4gAC0gAB4gLQ8gHg8gDw8gAA8gLQAgHgAgDwAgAAAgCwAAAAABAAEAAAI
        FQAfOGjAYIGCBAgOFBggwACBAAACAgA7
        """)

    static let webP = decoded(
        """
        UklGRkgAAABXRUJQVlA4IDwAAAAQAgCdASoEAAQAAsBMJYgCdEyAAdWtw2wAAP7CU7ECVrvsjWx9HYxYkJftMm/X/U8aPObm
        s+iL8/ogAAA=
        """)

    static let avif = decoded(
        """
        AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAA
        AAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAACMAAAAoaWluZgAAAAAAAQAA
        ABppbmZlAgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAAAgAAAAIAAAAEHBpeGkAAAAA
        AwgICAAAAAxhdjFDgSAAAAAAABNjb2xybmNseAABAA0ABoAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAACttZGF0EgAKCDgI
        v2EBDQaQMhUYwA0000QAPQ6d83AWC76H7/SZ/4c=
        """)

    static let jpegXL = decoded(
        """
        /wpBQEJxIQH8AKtyCQCACpVRxg1ezvV8+aHDYtrGdYa22rawhLHZXhgkJJzAxsU9N2eV5YnrCCpJJHK7Sv8D2/HfXOljBKoB
        AQ==
        """)

    static let bmp = decoded(
        """
        Qk1mAAAAAAAAADYAAAAoAAAABAAAAAQAAAABABgAAAAAADAAAADEDgAAxA4AAAAAAAAAAAAAgLQAgLQ8gLR4gLS0gHgAgHg8
        gHh4gHi0gDwAgDw8gDx4gDy0gAAAgAA8gAB4gAC0
        """)

    static let ico = decoded(
        """
        AAABAAEAAgIAAAEAGABAAAAAFgAAACgAAAACAAAABAAAAAEAGAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAP8A/wAAAAAA
        /wD/AAAAAAAAAAAAAAA=
        """)

    static let pnm = decoded(
        """
        UDYKNCA0CjI1NQoAAIA8AIB4AIC0AIAAPIA8PIB4PIC0PIAAeIA8eIB4eIC0eIAAtIA8tIB4tIC0tIA=
        """)

    static let heic = decoded(
        """
        AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAUJtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAA
        AA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAFmAAEAAAAAAAAAQgAAACNpaW5mAAAAAAABAAAAFWluZmUCAAAAAAEA
        AGh2YzEAAAAAwmlwcnAAAACkaXBjbwAAAHhodmNDAQNwAAAAAAAAAAAAHvAA/P34+AAADwMgAAEAGEABDAH//wNwAAADAJAAAAMA
        AAMAHroCQCEAAQArQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbqSSmubgQEDAgAAAMACAAAAwAIQCIAAQAHRAHBcrAiQAAAABRpc3Bl
        AAAAAAAAAEAAAABAAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAoMAAABKbWRhdAAAAD4oAa8ZgPeAQ+5ECzkP
        9NbSe9nlEPXURB1zYkkSEUZ9Hqc16ecPv4VO/SZLFD9aSxLEKOA/XlxQpKLz+gXFxQ==
        """)

    static let tiff = decoded(
        """
        SUkqAHAAAAB4nBWNQREAQQzCKqVSkFIpkYIUpCDl9nhmCMywg4YbGDxk6DDLLlpuYfGSpcuIFRInEBYRFXPsoeMODh85em/y2a/4
        2B9DoO/KrJE5/9QmpmbCBoXLX3VIaJiyReX6+y4pLR+8ZFgBAAoAAAEDAAEAAAAIAAAAAQEDAAEAAAAIAAAAAgEDAAMAAADuAAAA
        AwEDAAEAAAAIAAAABgEDAAEAAAACAAAAEQEEAAEAAAAIAAAAFQEDAAEAAAADAAAAFgEDAAEAAAAIAAAAFwEEAAEAAABnAAAAHAED
        AAEAAAABAAAAAAAAAAgACAAIAA==
        """)

    /// Uses what librsvg loads at first use: embedded PNG and JPEG, filters, and the usual fonts.
    static let svg = Data(
        """
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
            width="32" height="32">
        <image width="4" height="4" xlink:href="data:image/png;base64,\(png.base64EncodedString())"/>
        <image width="4" height="4" xlink:href="data:image/jpeg;base64,\(jpeg.base64EncodedString())"/>
        <filter id="f"><feTurbulence baseFrequency="0.1"/><feGaussianBlur stdDeviation="2"/></filter>
        <rect width="32" height="32" filter="url(#f)"/>
        <text y="10" font-family="serif">a</text>
        <text y="20" font-family="sans-serif">a<tspan font-weight="bold">b</tspan></text>
        <text y="30" font-family="monospace" font-style="italic">a</text>
        </svg>
        """.utf8)

    private static func decoded(_ text: String) -> Data {
        Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data()
    }
}
