package import Foundation

// The formats of the core in `FormatCatalog`. Their samples were made with Pillow 13 from a gradient of 4x4
// pixels.

extension JPEGCodec: CatalogCodec {
    package var sample: Data {
        Data(
            base64Sample: """
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
    }
}

extension PNGCodec: CatalogCodec {
    package var sample: Data {
        Data(
            base64Sample: """
                iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAGElEQVR4nGNkYGiwYWCAIBYGGwY4wM0BAEqkAfYnNZPCAAAA
                AElFTkSuQmCC
                """)
    }
}

extension APNGCodec: CatalogCodec {
    package var sample: Data {
        Data(
            base64Sample: """
                iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAACGFjVEwAAAACAAAAAPONk3AAAAAaZmNUTAAAAAAAAAAEAAAA
                BAAAAAAAAAAAAAEACgAAV3ID4QAAABhJREFUeJxjZGBosGFggCAWBhsGOMDNAQBKpAH2JzWTwgAAABpmY1RMAAAAAQAAAAQA
                AAAEAAAAAAAAAAAAAQAKAADMAek1AAAAHGZkQVQAAAACeJxj3MLQcISBAYJYGGwY4AA3BwC2OARCazM+MwAAAABJRU5ErkJg
                gg==
                """)
    }
}

extension GIFCodec: CatalogCodec {
    package var sample: Data {
        Data(
            base64Sample: """
                R0lGODdhBAAEAIMAALS0gHi0gLR4gHh4gDy0gDx4gAC0gAB4gLQ8gHg8gDw8gAA8gLQAgHgAgDwAgAAAgCwAAAAABAAEAAAI
                FQAfOGjAYIGCBAgOFBggwACBAAACAgA7
                """)
    }
}
